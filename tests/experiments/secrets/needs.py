"""What these tests need of the machine: the stand-in for Secrets Manager, and AWS's agent."""

from __future__ import annotations

import pytest

from sectax.experiments.secrets import agent, moto

_no_backend, _no_agent = moto.missing(), agent.missing()
needs_backend = pytest.mark.skipif(_no_backend is not None, reason=_no_backend.reason if _no_backend else "")
needs_agent = pytest.mark.skipif(_no_agent is not None, reason=_no_agent.reason if _no_agent else "")
