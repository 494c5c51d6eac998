"""Instant teaching: a person's pairs become neighbours; the encoder stays as it is."""

from __future__ import annotations

from collections.abc import Sequence

from symdemo.classifier import SymmetryClassifier
from symdemo.errors import InputError
from symdemo.pairs import Pair
from symdemo.teaching.comparison import ModelComparison, compare, judge, relation_key
from symdemo.teaching.project import Project, Version
from symdemo.teaching.project_files import RowTable
from symdemo.teaching.rows import TeachRow, check_sizes, pairs_to_teach


def teach_instantly(
    base: SymmetryClassifier, pairs: Sequence[Pair]
) -> tuple[SymmetryClassifier, ModelComparison]:
    """Return a classifier that also knows `pairs`, and what that changes.

    Known pairs of the same two sentences are replaced. The accuracy on the person's own pairs is
    measured by leaving out each entity pair in turn, which needs no second embedding. `InputError`
    for no pairs, a pair that cannot be read, or a model that answers by fixed labels.
    """
    if not pairs:
        raise InputError("There are no pairs to teach; at least one is expected.")
    taught = without(base, pairs).teach(pairs)
    own = taught.index.pairs[-len(pairs) :]  # with white space tidied
    vectors = taught.index.embeddings[-len(pairs) :]
    entity_pairs: dict[tuple, set] = {}
    for pair in own:
        entity_pairs.setdefault(relation_key(pair), set()).add(pair.entity_pair)
    rows = [row for row, pair in enumerate(own) if len(entity_pairs[relation_key(pair)]) > 1]
    checked = [own[row] for row in rows]
    taught = taught.with_card(
        parent=base.card.name if len(base.index) else None,
        summary=f"{base.card.name} + {len(own)} of your examples.",
    )
    judged = judge(taught, checked, vectors[rows])
    comparison = compare(base, taught, own, checked, "leave one out", judged)
    return taught.with_card(scores=comparison.in_words()), comparison


def without(base: SymmetryClassifier, pairs: Sequence[Pair]) -> SymmetryClassifier:
    """Return the classifier without neighbours that have the sentences of one of `pairs`."""
    theirs = {(pair.premise, pair.hypothesis) for pair in pairs}
    return base.keeping(lambda pair: (pair.premise, pair.hypothesis) not in theirs)


def teach_project_instantly(project: Project, more: Sequence[TeachRow] = ()) -> Version:
    """Teach a project's rows instantly and save the result as a version.

    It starts from the version in use or, if that was itself taught instantly, from what it was made
    from, so that rows changed or removed since are forgotten. If the version in use was taught just
    these rows, it is returned instead of a new one. Rows `more` are added first. `InputError` for
    rows that cannot be taught, or no room for another version; the table stays as it was.
    """
    if not more:
        return _teach_table(project, project.table)
    with project.changing():
        table = project.table.with_new(more)
        check_sizes(table.rows, project.limits)
        version = _teach_table(project, table)
        project.change_table(lambda _: table)
    return version


def _teach_table(project: Project, table: RowTable) -> Version:
    versions = {version.id: version for version in project.versions()}
    project.limits.check("versions", len(versions) + 1)
    current = start = versions.get(project.selected or "")
    while start is not None and start.how == "instant":
        start = versions.get(start.parent or "")
    parent = start.id if start else None
    base = project.model(parent)
    pairs = pairs_to_teach(table.rows, base, project.limits)
    if start:
        base = project.with_labels_of(base, pairs, start.base)
    if current:
        taught = (*without(base, pairs).index.pairs, *pairs)
        if taught == project.model(current.id).index.pairs:
            return current
    model, comparison = teach_instantly(base, pairs)
    return project.add_version(
        model, how="instant", parent=parent, scores=comparison.to_json(), rows=len(table.rows)
    )
