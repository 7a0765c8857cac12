"""What finders are set upon: a specimen, a mutant or a generation, and when a find of it counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from fuzz.bench.mutants.equivalents import EQUIVALENT, UNTOLD
from fuzz.bench.mutants.making import Mutant, every, mutants
from fuzz.bench.mutants.operators import OPERATORS
from fuzz.bench.mutants.sources import SOURCES
from fuzz.bench.specimens import SPECIMENS, Specimen
from fuzz.case import Case
from fuzz.errors import UsageError
from fuzz.profiles import DEFAULT, OF_LAYOUTS
from fuzz.verdict import Verdict

SHOWN = {
    "uniform_page": ("rejected:constructor", "clobbered:padding", "rejected:launch-x"),
    "page_table": ("clobbered:padding", "rejected:launch-x"),
    "page_buckets": ("clobbered:padding", "rejected:launch-x"),
    "block_stride": ("rejected:launch-x",),
    "ids_on_z": ("rejected:launch-z", "rejected:launch-y", "skipped:product"),
    "masked_grid": ("rejected:launch-z", "rejected:launch-y", "skipped:product"),
}
"""What is wrong with each generation of the kernel; other labels that it shows are the same faults otherwise seen."""

KINDS = ("specimen", "mutant", "generation")

Passes = Callable[[str, Case], Verdict]
"""The verdict of a case on a built-in target."""


@dataclass(frozen=True)
class Subject:
    """A faulty target.

    Attributes:
        kind: where it comes from.
        name: how rows name it.
        target: its locator.
        profiles: shapes of cases that are drawn.
        takes: what it is made of.
        device_profile: whose launch limits it meets, or None for the engine's own.
        original: the right target that it was made from; a find counts only where this one is not found, too.
        specimen: the specimen, if it is one.
        operator: the mutation operator, if it is a mutant.
        label: the find that counts, if it is a generation of the kernel; each may show several.
    """

    kind: Literal["specimen", "mutant", "generation"]
    name: str
    target: str
    profiles: tuple[str, ...]
    takes: Literal["table", "layout"] = "table"
    device_profile: str | None = None
    original: str | None = None
    specimen: Specimen | None = None
    operator: str = ""
    label: str = ""

    def counts(self, case: Case, verdict: Verdict, passes: Passes) -> bool:
        """Whether a verdict is a find of this subject's fault, and not of what it was made from."""
        if verdict.outcome != "finding":
            return False
        if self.specimen is not None:
            return self.specimen.triggered(case)
        if self.label:
            return verdict.label() == self.label
        return self.original is None or passes(self.original, case).outcome not in ("finding", "infra")


def of_specimen(specimen: Specimen) -> Subject:
    """A specimen as a subject."""
    profiles = specimen.profiles or DEFAULT
    return Subject(
        "specimen", specimen.name, specimen.target, profiles, specimen.takes, specimen.device_profile, specimen=specimen
    )


def of_mutant(mutant: Mutant) -> Subject:
    """A mutant as a subject; it meets the device that its original is right on."""
    source = SOURCES[mutant.source]
    profiles = OF_LAYOUTS if source.takes == "layout" else DEFAULT
    return Subject(
        "mutant", mutant.name, mutant.locator, profiles, source.takes, "h200", source.original,
        operator=mutant.operator,
    )  # fmt: skip


def of_generations() -> list[Subject]:
    """Each generation once for each of its faults."""
    return [
        Subject("generation", f"{name} {label}", name, DEFAULT, label=label)
        for name, labels in SHOWN.items()
        for label in labels
    ]


def specimens_here(*, gpu: bool) -> tuple[list[Subject], list[str]]:
    """The specimens that this machine can run, and the names of those that need a GPU."""
    here = [of_specimen(one) for one in SPECIMENS if gpu or not one.needs_gpu]
    return here, [one.name for one in SPECIMENS if one.needs_gpu and not gpu]


def by_operator() -> dict[str, list[Subject]]:
    """Mutants that a profile can tell from their original, by operator, from each source by turns."""
    found: dict[str, list[Subject]] = {}
    for operator in OPERATORS:
        rows = [
            [
                one
                for one in mutants(source).values()
                if one.operator == operator and one.name not in EQUIVALENT | UNTOLD
            ]
            for source in SOURCES
        ]
        longest = max(map(len, rows))
        found[operator] = [of_mutant(row[number]) for number in range(longest) for row in rows if number < len(row)]
    return found


def ruled_equivalent() -> list[Subject]:
    """Mutants that must never be found."""
    return [of_mutant(every()[name]) for name in EQUIVALENT]


def named(names: list[str] | None) -> list[Subject]:
    """Subjects of a kind or with a beginning that is asked for; by default all but mutants ruled equivalent.

    Raises:
        UsageError: for a name that is the beginning of none.
    """
    subjects = [of_specimen(one) for one in SPECIMENS] + [of_mutant(one) for one in every().values()] + of_generations()
    if not names:
        return [one for one in subjects if one.name not in EQUIVALENT]
    for name in names:
        if not any(_is(one, name) for one in subjects):
            raise UsageError(f"subject={name!r}: must be {', '.join(KINDS)}, or how the name of one begins")
    return [one for one in subjects if any(_is(one, name) for name in names)]


def _is(subject: Subject, name: str) -> bool:
    return subject.name.startswith(name) or (subject.kind == name and subject.name not in EQUIVALENT)
