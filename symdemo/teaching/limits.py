"""How much one person may ask of a shared machine, and the sentence for each limit."""

from __future__ import annotations

from dataclasses import dataclass, fields

from symdemo.errors import InputError
from symdemo.jobs.kinds import KindPolicy
from symdemo.text import MIB, readable_size, shorten, tidy_text


@dataclass(frozen=True, slots=True)
class Limits:
    """What is allowed; every check returns what it was given (texts tidied) or raises `InputError`.

    Attributes:
        rows: lines in a person's table.
        characters: of one cell of the table.
        labels: different labels in one table.
        label_characters: of one label.
        name_characters: of the name of a project or a version.
        relations: different relations in one table.
        taught_pairs: that a model in an archive may know.
        epochs: of one retraining.
        samples: pairs that one epoch of a retraining draws.
        versions: kept in one project.
        project_bytes: of one project on the disk.
        all_bytes: of all projects together.
        free_bytes: of the disk that are left free.
        archive_bytes: of one archive that is read or written.
        archive_entries: files in one archive.
        waiting_jobs: in the queue of the whole machine.
        jobs_per_project: that one project may have waiting or running.
        jobs_per_page: that the projects begun or used on one open page may have so.
        jobs_per_address: that those of one network address may have so.
        idle_days: after which a project that nobody opened is removed.
        projects: on the whole machine.
        projects_per_page: that one open page may begin.
        projects_per_address: of one network address; a school may have a single one.
        address_bytes: that these may take when another is begun.
        job_minutes: that one job may run.
    """

    rows: int = 1_000
    characters: int = 300
    labels: int = 12
    label_characters: int = 40
    name_characters: int = 80
    relations: int = 200
    taught_pairs: int = 20_000
    epochs: int = 60
    samples: int = 1_000
    versions: int = 12
    project_bytes: int = 400 * MIB
    all_bytes: int = 10_240 * MIB
    free_bytes: int = 512 * MIB
    archive_bytes: int = 300 * MIB
    archive_entries: int = 200
    waiting_jobs: int = 32
    jobs_per_project: int = 1
    jobs_per_page: int = 4
    jobs_per_address: int = 16
    idle_days: float = 7
    projects: int = 500
    projects_per_page: int = 20
    projects_per_address: int = 100
    address_bytes: int = 2_048 * MIB
    job_minutes: float = 30

    def __post_init__(self):
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
                raise InputError(f"The limit {field.name} is {value!r}; a number above 0 is meant.")

    def check_rows(self, number: int) -> int:
        """`number` of rows in a table."""
        return _at_most(number, self.rows, "There are {} rows; at most {} are kept.")

    def check_taught_pairs(self, number: int) -> int:
        """`number` of pairs that a model knows."""
        return _at_most(
            number, self.taught_pairs, "A model in it knows {} pairs; at most {} are opened."
        )

    def check_labels(self, number: int) -> int:
        """`number` of different labels in a table."""
        return _at_most(
            number, self.labels, "There are {} different labels; at most {} can be taught."
        )

    def check_relations(self, number: int) -> int:
        """`number` of different relations in a table."""
        return _at_most(
            number, self.relations, "There are {} different relations; at most {} can be taught."
        )

    def check_versions(self, number: int) -> int:
        """`number` of versions that a project would have."""
        return _at_most(
            number,
            self.versions,
            "The project would have {} versions; at most {} are kept, so delete one first.",
        )

    def check_projects(self, number: int) -> int:
        """`number` of projects that there would be."""
        return _at_most(
            number,
            self.projects,
            "There would be {} projects here; there is room for {}, so try again later.",
        )

    def check_projects_of_page(self, number: int) -> int:
        """`number` of projects that one open page would have begun."""
        return _at_most(
            number,
            self.projects_per_page,
            "This page would have begun {} projects; at most {} are allowed, so go on with one.",
        )

    def check_projects_of_address(self, number: int) -> int:
        """`number` of projects that one network address would have."""
        return _at_most(
            number,
            self.projects_per_address,
            "There would be {} projects from your network; at most {} are kept, so delete one.",
        )

    def check_jobs_of_page(self, number: int) -> int:
        """`number` of trainings that one open page would have waiting or running."""
        return _at_most(
            number,
            self.jobs_per_page,
            "This page would have {} trainings at once; at most {} are allowed, so wait for one.",
        )

    def check_all_bytes(self, number: int) -> int:
        """`number` of bytes that all projects take."""
        return _at_most(
            number,
            self.all_bytes,
            "All projects on this server take {}; at most {} are kept, so delete a version or a "
            "project, or try again later.",
            readable_size,
        )

    def check_address_bytes(self, number: int) -> int:
        """`number` of bytes that the projects of one network address take."""
        return _at_most(
            number,
            self.address_bytes,
            "The projects from your network take {}; at most {} are kept, so delete one first.",
            readable_size,
        )

    def job_kinds(self, workers: int = 1) -> dict[str, KindPolicy]:
        """How much teaching a `JobQueue` takes on, so many at once; its owners are projects."""
        return {
            "teaching": KindPolicy(
                workers,
                self.waiting_jobs,
                self.jobs_per_project,
                self.jobs_per_address,
                60 * self.job_minutes,
                busy="The project would have {:,} jobs at once; {:,} is allowed, so wait for it or "
                "stop it.",
                crowded="There would be {:,} trainings from your network at once; at most {:,} are "
                "allowed, so try again when one has ended.",
            )
        }

    def check_archive_entries(self, number: int) -> int:
        """`number` of files in an archive."""
        return _at_most(
            number, self.archive_entries, "The archive has {} files in it; at most {} are read."
        )

    def check_archive_bytes(self, number: int) -> int:
        """`number` of bytes of an archive."""
        return _at_most(
            number, self.archive_bytes, "The archive has {}; at most {} are allowed.", readable_size
        )

    def check_project_bytes(self, number: int) -> int:
        """`number` of bytes that a project would take."""
        return _at_most(
            number,
            self.project_bytes,
            "The project would take {}; at most {} are kept, so delete a version first.",
            readable_size,
        )

    def check_epochs(self, number: int) -> int:
        """`number` of epochs of a retraining."""
        return _from_one(number, self.epochs, "epochs")

    def check_samples(self, number: int) -> int:
        """`number` of pairs that an epoch draws."""
        return _from_one(number, self.samples, "samples")

    def check_job_minutes(self, minutes: float) -> float:
        """`minutes` that a job would take."""
        return _at_most(
            minutes,
            self.job_minutes,
            "This would take {} minutes; at most {} are allowed, so ask for fewer epochs.",
            lambda value: f"{value:,.0f}",
        )

    def check_text(self, name: str, text: object) -> str:
        """One cell called `name`: its text with white space tidied; it may be empty."""
        return tidy_text(name, text, self.characters)

    def check_label(self, text: object) -> str:
        """A label: its text with white space tidied."""
        return _not_empty("label", tidy_text("label", text, self.label_characters))

    def check_name(self, text: object) -> str:
        """The name of a project or a version, with white space tidied."""
        return _not_empty("name", tidy_text("name", text, self.name_characters))


def _at_most(number, most, sentence, show=lambda value: f"{value:,}"):
    if number > most:
        raise InputError(sentence.format(show(number), show(most)))
    return number


def _from_one(number: object, most: int, name: str) -> int:
    if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= most:
        seen = shorten(repr(number), 20)
        raise InputError(
            f"{seen} {name} were asked for; a whole number from 1 to {most:,} is expected."
        )
    return number


def _not_empty(name: str, text: str) -> str:
    if not text:
        raise InputError(f"The {name} is empty; a few characters are expected.")
    return text
