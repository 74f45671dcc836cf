from .comparison import Comparison as Comparison
from .comparison import PairedDifference as PairedDifference
from .confusion import Confusion as Confusion
from .evaluation import Evaluation as Evaluation
from .items import Items as Items
from .subgroup_difference import SubgroupDifference as SubgroupDifference
from .subgroups import Subgroups as Subgroups
