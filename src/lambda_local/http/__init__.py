"""HTTP/1.1 over asyncio and httptools, made for timing: one write per answer, and a time stamp as near to the socket
as Python gets. It serves both sides: the AWS API outside, and the Runtime API inside every instance."""

from lambda_local.http.connection import Connection
from lambda_local.http.messages import Bytes, Exchange, HttpLimits, HttpRequest, response
from lambda_local.http.server import HttpServer

__all__ = ["Bytes", "Connection", "Exchange", "HttpLimits", "HttpRequest", "HttpServer", "response"]
