"""Messages and hints for failures of a service."""

from __future__ import annotations

from sectax.experiments.client_server.subject import Meanings

TRUST = "give its CA certificate with --ca FILE; services that cannot be verified are not measured"
_BODY = "--bodies-differ accepts it; or request something that stays the same"
_SERVER = "see its log; responses that are not valid HTTP are not measured"

# Kinds of clients/http-go/PROTOCOL.md -> meaning and hint.
MEANINGS: Meanings = {
    "status": ("answers with an error", "check the URL; --status CODE sets the expected status"),
    "redirect": (
        "redirects to another address, and redirects are not followed",
        "give that address; --status CODE measures the redirect itself",
    ),
    "status-varies": ("answers with different statuses", "check whether it limits the rate of requests"),
    "body-varies": ("answers with different bodies", _BODY),
    "certificate-expired": ("its certificate has expired or is not valid yet", "renew it; check this machine's clock"),
    "certificate-name": (
        "its certificate is for another name",
        "use the certificate's name, or issue one for this name",
    ),
    "certificate-untrusted": ("its certificate is not signed by an authority that this machine trusts", TRUST),
    "certificate": ("its certificate cannot be verified", TRUST),
    "client-certificate": (
        "requires a client certificate that it trusts",
        "give one that it trusts with --cert FILE --key FILE",
    ),
    "not-tls": ("does not speak TLS on this port", "write http:// instead of https://, or give its TLS port"),
    "tls": ("refuses the TLS handshake", "check TLS versions and client certificates in its log"),
    "refused": ("nothing listens there", "check that it is running, and the port"),
    "unknown-host": ("unknown host", "check the name; sectax uses the system's resolver"),
    "connection": ("cannot be reached", "check that it is running, and the network"),
    "closed": ("closed the connection before its answer was complete", _SERVER),
    "timeout": ("did not finish its answer in time", "check whether it is overloaded; --timeout 60s waits longer"),
    "short-body": ("its body is shorter than its Content-Length", _SERVER),
    "long-body": ("its body is longer than its Content-Length", _SERVER),
    "body-flood": ("sends an endless body", "request something smaller"),
    "header-flood": ("sends an endless header", _SERVER),
    "malformed": ("its answer is not HTTP", _SERVER),
    "exhausted": (
        "this machine has no ports or files left for another connection",
        "wait a minute, use --level connection=kept, or lower --rate or concurrency",
    ),
    "file": ("a file cannot be used", "give a certificate and its key, as PEM, that belong together"),
}
