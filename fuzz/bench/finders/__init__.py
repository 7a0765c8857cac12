"""Ways to look for a fault, each given the same subjects and the same number of cases."""

from fuzz.bench.finders import by_corpus, by_exhaustive, by_given, by_ours, by_static, by_uniform
from fuzz.bench.finders.search import Finder, First, Stand

__all__ = ["FINDERS", "FIXED", "Finder", "First", "Stand"]

FINDERS: dict[str, Finder] = {
    "ours": by_ours.find,
    "uniform": by_uniform.find,
    "given": by_given.find,
    "static": by_static.find,
    "corpus": by_corpus.find,
    "exhaustive": by_exhaustive.find,
}

FIXED = frozenset({"static", "corpus", "exhaustive"})
"""Those that draw nothing: one run tells all."""
