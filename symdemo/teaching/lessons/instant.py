"""Teaching at once: the person's pairs become neighbours, and the encoder stays as it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from symdemo.classifier import SymmetryClassifier
from symdemo.errors import InputError
from symdemo.pairs import Pair
from symdemo.teaching.lessons.compare import Comparison, compare
from symdemo.teaching.lessons.split import pairs_to_teach, relation_key
from symdemo.teaching.lessons.verdicts import judge
from symdemo.teaching.projects.files import check_rows

if TYPE_CHECKING:
    from symdemo.teaching.projects.project import Project
    from symdemo.teaching.projects.version import Version
    from symdemo.teaching.rows.row import Row
    from symdemo.teaching.rows.table import Table


def teach_instantly(
    base: SymmetryClassifier, pairs: Sequence[Pair]
) -> tuple[SymmetryClassifier, Comparison]:
    """A classifier that knows `pairs` besides, and what that changes.

    A pair of the same two sentences that the model knew before gives way. The person's own accuracy
    is measured by leaving out one entity pair after the other, which needs no second embedding.

    Raises:
        InputError: no pairs, a pair that cannot be read, or a model that answers by fixed labels.
    """
    if not pairs:
        raise InputError("There are no pairs to teach; at least one is expected.")
    taught = without(base, pairs).teach(pairs)
    own = taught.index.pairs[-len(pairs) :]  # as they were tidied
    vectors = taught.index.embeddings[-len(pairs) :]
    checkable = _checkable(own)
    rows = [row for row, pair in enumerate(own) if pair in checkable]
    checked = [own[row] for row in rows]
    taught = taught.with_card(
        parent=base.card.name if len(base.index) else None,
        summary=f"{base.card.name} and {len(own)} pairs taught at once.",
    )
    judged = judge(taught, checked, vectors[rows])
    comparison = compare(base, taught, own, checked, "leave one out", judged)
    return taught.with_card(scores=comparison.in_words()), comparison


def without(base: SymmetryClassifier, pairs: Sequence[Pair]) -> SymmetryClassifier:
    """The same classifier without the neighbours that have the sentences of one of `pairs`."""
    theirs = {(pair.premise, pair.hypothesis) for pair in pairs}
    rows = [
        row
        for row, pair in enumerate(base.index.pairs)
        if (pair.premise, pair.hypothesis) not in theirs
    ]
    if len(rows) == len(base.index):
        return base
    return replace(base, index=base.index.select(rows))


def _checkable(pairs: Sequence[Pair]) -> set[Pair]:
    """The pairs of relations with two entity pairs or more: one can stand in for the other."""
    entity_pairs: dict[tuple, set] = {}
    for pair in pairs:
        entity_pairs.setdefault(relation_key(pair), set()).add(pair.entity_pair)
    return {pair for pair in pairs if len(entity_pairs[relation_key(pair)]) > 1}


def teach_project_instantly(project: Project, more: Sequence[Row] = ()) -> Version:
    """Teach a project's rows at once and keep what comes of it as a version.

    It starts from the version in use, or where that was itself taught at once, from what it was
    taught to: so a row that was changed or removed is forgotten.

    Args:
        project: whose rows.
        more: rows that its table gets besides, those that it has not yet. Nobody else changes the
            project between reading and writing.

    Raises:
        InputError: rows that cannot be taught, or no room for another version; the table stays as
            it was.
    """
    if not more:
        return _teach_table(project, project.table)
    with project.changing():
        table = project.table.with_new(more)
        check_rows(table.rows, project.limits)
        version = _teach_table(project, table)
        project.change_table(lambda _: table)
    return version


def _teach_table(project: Project, table: Table) -> Version:
    project.limits.check_versions(len(project.versions()) + 1)
    versions = {version.id: version for version in project.versions()}
    start = versions.get(project.selected or "")
    while start is not None and start.how == "instant":
        older = start.parent or ""
        start = versions.get(older) if older < start.id else None  # a round would never end
    parent = start.id if start else None
    base = project.model(parent)
    model, comparison = teach_instantly(base, pairs_to_teach(table.rows, base, project.limits))
    return project.add_version(
        model, how="instant", parent=parent, scores=comparison.to_json(), rows=len(table.rows)
    )
