from .comparison import Comparison as Comparison
from .confusion import ConfusionMatrix as ConfusionMatrix
from .contrast import Contrast as Contrast
from .evaluation import Evaluation as Evaluation
from .items import Items as Items
from .multilabel import LabelEvaluation as LabelEvaluation
from .queries import QueryEvaluation as QueryEvaluation
from .subgroups import Subgroups as Subgroups
