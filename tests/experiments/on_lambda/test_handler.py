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
