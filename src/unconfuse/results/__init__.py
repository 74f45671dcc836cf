"""What the functions return: frozen objects that carry their value, their uncertainty and how both were made."""

from unconfuse._doors import Drawable
from unconfuse.results.estimate import Estimate
from unconfuse.results.evaluation import Evaluation, Finding
from unconfuse.results.plain import frame_of, number_text, plain_json

__all__ = ["Drawable", "Estimate", "Evaluation", "Finding", "frame_of", "number_text", "plain_json"]
