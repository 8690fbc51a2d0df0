"""An archive without the handler's file is refused before anything is deployed."""

from __future__ import annotations

import pytest

from sectax.experiments.on_lambda.code import check_handler
from sectax.model.errors import WrongUse
from tests.experiments.on_lambda.functions import PYTHON
from tests.lambda_local.serving import archive

DEFINED = "def handler(event, context):\n    pass\n"


@pytest.mark.parametrize(
    ("files", "runtime", "handler"),
    [
        ({"other.py": DEFINED}, PYTHON, "f.handler"),
        ({"ff.py": DEFINED}, PYTHON, "f.handler"),
        ({"f.py": DEFINED}, PYTHON, "handler"),
        ({"main": "x"}, "provided.al2023", "bootstrap"),
        ({"bootstrap": "not executable"}, "provided.al2023", "bootstrap"),
    ],
)
def test_a_handler_that_is_not_there_is_refused(files, runtime, handler):
    with pytest.raises(WrongUse):
        check_handler("function 'x'", archive(files), runtime, handler, layers=False)


@pytest.mark.parametrize(
    ("files", "handler"),
    [
        ({"f.py": DEFINED}, "f.handler"),
        ({"a/b/f.py": DEFINED}, "a.b.f.handler"),
        ({"a/b/f.py": DEFINED}, "a/b/f.handler"),
        ({"f/__init__.py": "handler = lambda event, context: None\n"}, "f.handler"),
        ({"f.cpython-311-x86_64-linux-gnu.so": b""}, "f.handler"),
    ],
)
def test_a_python_handler_that_may_be_there_passes(files, handler):
    check_handler("function 'x'", archive(files), PYTHON, handler, layers=False)


def test_what_a_layer_may_hold_passes():
    check_handler("function 'x'", archive({"data": "x"}), PYTHON, "f.handler", layers=True)
    check_handler("function 'x'", archive({"data": "x"}), "provided.al2023", "bootstrap", layers=True)


def test_a_bootstrap_that_is_executable_passes():
    packed = archive({"bootstrap": "x"}, executable=("bootstrap",))
    check_handler("function 'x'", packed, "provided.al2023", "bootstrap", layers=False)
