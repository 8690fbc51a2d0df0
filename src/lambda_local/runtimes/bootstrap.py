"""Starts AWS's runtime client with Lambda's search path for Python functions.

It is copied into the folder of the installed client and runs in the function's sandbox, under an interpreter without
site-packages (-S). awslambdaric omits frames of files with this name from tracebacks.
"""

import os
import site
import sys

_LIBRARIES = f"/opt/python/lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages"

sys.path[:1] = [os.environ["LAMBDA_TASK_ROOT"], _LIBRARIES, "/opt/python"]
sys.path.append(os.path.dirname(os.path.abspath(__file__)))
site.setquit()  # exit() and quit(), which -S omits

from awslambdaric.__main__ import main  # type: ignore[import-not-found]  # noqa: E402 - found by the path above

main(["awslambdaric", os.environ["_HANDLER"]])  # a wrapper script may have changed it
