"""What papers, journals and hubs ask for: tables, methods paragraphs, checklists, model-card metadata.

Everything here is read from a result; nothing is computed anew.
"""

from unconfuse.papers.checklist import GUIDELINES, Checklist, Item, checklist_of
from unconfuse.papers.methods import methods_text
from unconfuse.papers.model_index import model_index_of
from unconfuse.papers.tables import table_of

__all__ = ["GUIDELINES", "Checklist", "Item", "checklist_of", "methods_text", "model_index_of", "table_of"]
