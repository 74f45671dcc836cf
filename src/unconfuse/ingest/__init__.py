"""One door for data: whatever `Data` describes becomes a `Sample`.

Nothing outside this room knows data-frame libraries, the file engine, databases or Spark, and none is imported before
it is needed. A kind of source is one module in `ingest.sources` with two functions: `recognises(data)`, and
`read(data, needs)`, which hands over a sample. Most leave the checking to others: columns in memory to
`ingest.build_sample`, and what an engine has added up by label and score to `ingest.aggregated_rows`. To add a kind,
write the module: it is found there.
"""

from unconfuse.ingest._read import read
from unconfuse.ingest.data import Data, DataOptions

__all__ = ["Data", "DataOptions", "read"]
