"""Starts AWS's runtime client with the search path that Lambda gives a Python function.

It is copied beside the installed client and runs there, in the function's sandbox, under an interpreter without
site-packages of its own (-S). awslambdaric leaves frames of a file of this name out of the stacks that it reports.
"""

import os
import site
import sys

_LIBRARIES = f"/opt/python/lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages"

sys.path[:1] = [os.environ["LAMBDA_TASK_ROOT"], _LIBRARIES, "/opt/python"]
sys.path.append(os.path.dirname(os.path.abspath(__file__)))
site.setquit()  # exit() and quit(), which -S leaves out

from awslambdaric.__main__ import main  # type: ignore[import-not-found]  # noqa: E402 - found by the path above

main(["awslambdaric", os.environ["_HANDLER"]])  # a wrapper script may have put its own there
