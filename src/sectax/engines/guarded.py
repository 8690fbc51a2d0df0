"""A subject whose every error is a failure of its treatment, and never the end of the run."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from sectax.model.errors import SectaxError, SessionOver, SubjectFailed, SubjectSkipped
from sectax.model.subject import Observation, Subject, SubjectSpec, Visit, Witnesses, Work


class Guarded:
    """Implements `Subject` around another one, which may be anybody's.

    What it raises besides `SubjectFailed` and `SubjectSkipped` becomes a `SubjectFailed` that names the error;
    `SessionOver` alone ends the session, since no other subject could be measured either.
    """

    def __init__(self, name: str, spec: SubjectSpec) -> None:
        """Args: *name*, of the treatment, for messages."""
        self._name = name
        self._subject: Subject | None = None
        self._spec = spec

    @property
    def first(self) -> tuple[Observation, ...]:
        return self._subject.first if self._subject is not None else ()

    @first.setter
    def first(self, observed: tuple[Observation, ...]) -> None:
        """The protocol has an attribute here; nobody sets it from outside."""
        raise AttributeError("first")

    @property
    def pid(self) -> int | None:
        """Of the subject's process; None where it has none, or none yet."""
        return getattr(self._subject, "pid", None)

    def start(self) -> None:
        with self._failing("open"):
            self._made_subject().start()

    def open(self) -> Witnesses:
        with self._failing("open"):
            return self._made_subject().open()

    def visit(self, work: Work) -> Visit:
        with self._failing("visit"):
            return self._made_subject().visit(work)

    def close(self) -> Witnesses:
        with self._failing("close"):
            return self._made_subject().close()

    def kill(self) -> None:
        with contextlib.suppress(Exception):
            if self._subject is not None:
                self._subject.kill()

    def _made_subject(self) -> Subject:
        if self._subject is None:
            self._subject = self._spec.subject()
        return self._subject

    @contextlib.contextmanager
    def _failing(self, stage: str) -> Iterator[None]:
        try:
            yield
        except (SubjectFailed, SessionOver, MemoryError):
            raise
        except SubjectSkipped as error:
            if stage == "open":
                raise
            raise SubjectFailed(error.message, error.hint, stage) from error
        except SectaxError as error:
            raise SubjectFailed(f"{self._name}: {error.message}", error.hint, stage) from error
        except Exception as error:
            message = f"{type(error).__name__}: {error}".removesuffix(": ")
            hint = "its subject is at fault: it should say this as SubjectFailed, with what to try"
            raise SubjectFailed(f"{self._name}: {message}", hint, stage) from error
