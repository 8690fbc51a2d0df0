"""Where functions can run: sectax's own local Lambda, AWS, or the Lambda at an address."""

from __future__ import annotations

LOCAL = "local"  # sectax's own local Lambda
AWS = None  # no endpoint: AWS's client then speaks to AWS itself
LOCAL_ROLE = "arn:aws:iam::000000000000:role/local"
