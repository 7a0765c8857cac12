"""Features of a case: which classes of geometry and behaviour it falls into, and pairs of them."""

from fuzz.features.distil import cover, needless
from fuzz.features.of_case import Launched, features, in_words
from fuzz.features.pairs import Pair, Seen, drawn_from, pairs
from fuzz.features.sizes import Feature

__all__ = ["Feature", "Launched", "Pair", "Seen", "cover", "drawn_from", "features", "in_words", "needless", "pairs"]
