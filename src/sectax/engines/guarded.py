"""Converts all errors of a subject into failures of its treatment."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from sectax.model.errors import SectaxError, SessionOver, SubjectFailed, SubjectSkipped
from sectax.model.subject import Observation, Subject, SubjectSpec, Visit, Witnesses, Work


class Guarded:
    """Implements `Subject` around another one, which may come from a plugin.

    Its errors become `SubjectFailed`, except `SubjectSkipped`, and `SessionOver`, which ends the session.
    """

    def __init__(self, name: str, spec: SubjectSpec) -> None:
        """Args: name of the treatment, for messages; its spec."""
        self._name = name
        self._subject: Subject | None = None
        self._spec = spec

    @property
    def first(self) -> tuple[Observation, ...]:
        return self._subject.first if self._subject is not None else ()

    @first.setter
    def first(self, observed: tuple[Observation, ...]) -> None:
        raise AttributeError("first")  # the protocol has an attribute

    @property
    def pid(self) -> int | None:
        """PID of the subject's process, or None."""
        return getattr(self._subject, "pid", None)

    def start(self) -> None:
        with self._failing("open"):
            self._get_subject().start()

    def open(self) -> Witnesses:
        with self._failing("open"):
            return self._get_subject().open()

    def visit(self, work: Work) -> Visit:
        with self._failing("visit"):
            return self._get_subject().visit(work)

    def close(self) -> Witnesses:
        with self._failing("close"):
            return self._get_subject().close()

    def kill(self) -> None:
        with contextlib.suppress(Exception):
            if self._subject is not None:
                self._subject.kill()

    def _get_subject(self) -> Subject:
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
            hint = "this is a bug of the experiment: it should raise SubjectFailed with a hint"
            raise SubjectFailed(f"{self._name}: {message}", hint, stage) from error
