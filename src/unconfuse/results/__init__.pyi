from .comparison import Comparison as Comparison
from .confusion import Confusion as Confusion
from .contrast import Contrast as Contrast
from .evaluation import Evaluation as Evaluation
from .items import Items as Items
from .labels import LabelEvaluation as LabelEvaluation
from .queries import QueryEvaluation as QueryEvaluation
from .subgroups import Subgroups as Subgroups
