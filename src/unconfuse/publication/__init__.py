"""What papers, journals and hubs ask for: tables, methods paragraphs, checklists, model-card metadata.

Everything here is read from a result; nothing is computed anew.
"""

from unconfuse.publication.checklist import GUIDELINES, Checklist, ChecklistItem, checklist_of
from unconfuse.publication.methods_paragraph import methods_text
from unconfuse.publication.model_index import model_index_of
from unconfuse.publication.result_tables import table_of

__all__ = ["GUIDELINES", "Checklist", "ChecklistItem", "checklist_of", "methods_text", "model_index_of", "table_of"]
