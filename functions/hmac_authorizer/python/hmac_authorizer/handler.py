"""What Lambda is told to call: `hmac_authorizer.handler.lambda_handler`."""

from __future__ import annotations

import os

from hmac_authorizer.authorizer import handler
from hmac_authorizer.settings import read

lambda_handler = handler(read(os.environ))
