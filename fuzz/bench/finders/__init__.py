"""Ways to look for a fault, each given the same subjects and the same number of cases."""

from fuzz.bench.finders import by_given, by_ours, by_static, by_uniform
from fuzz.bench.finders.search import Finder, First, Stand

__all__ = ["FINDERS", "Finder", "First", "Stand"]

FINDERS: dict[str, Finder] = {
    "ours": by_ours.find,
    "uniform": by_uniform.find,
    "given": by_given.find,
    "static": by_static.find,
}
