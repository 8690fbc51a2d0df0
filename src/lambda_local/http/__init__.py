"""HTTP/1.1 over asyncio and httptools, for AWS's API and the Runtime API in instances.

Made for timing: one write per answer, and a time stamp as close to the socket as Python allows.
"""

from lambda_local.http.connection import Connection
from lambda_local.http.messages import Bytes, Exchange, HttpLimits, HttpRequest, response
from lambda_local.http.server import HttpServer

__all__ = ["Bytes", "Connection", "Exchange", "HttpLimits", "HttpRequest", "HttpServer", "response"]
