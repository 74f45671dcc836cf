"""One door for data: whatever `Data` describes becomes a `Sample`.

Nothing outside this room knows data-frame libraries, the file engine, databases or Spark, and none is imported before
it is needed. A kind of source is one module with two functions: `recognises(data)`, and `read(data, needs)`, which
hands over a sample. Most leave the checking to others: columns in memory to `ingest.rows`, and what an engine has
added up by label and score to `ingest.groups`. To add a kind, write the module
and put its name into `SOURCES` of `ingest.door`.
"""

from unconfuse.ingest.data import Data, DataWords
from unconfuse.ingest.door import read

__all__ = ["Data", "DataWords", "read"]
