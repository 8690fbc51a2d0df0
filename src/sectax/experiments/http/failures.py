"""Turns what went wrong with a service into words for a person."""

from __future__ import annotations

from sectax.experiments.client_server.subject import Meanings

TRUST = "give the certificate of its authority with --ca FILE; what cannot be verified is not measured"
_BODY = "--bodies-differ accepts it; or ask for something that stays the same"
_SERVER = "see its log; what does not speak HTTP rightly is not measured"

# By the kinds of clients/http-go/PROTOCOL.md: what it means, and what to do.
MEANINGS: Meanings = {
    "status": ("answers with an error", "is the URL right? --status CODE says which status is expected"),
    "redirect": (
        "redirects to another address, which is not followed",
        "give that address; --status CODE measures the redirect itself",
    ),
    "status-varies": ("answers with one status and then with another", "is it limiting the rate of requests?"),
    "body-varies": ("answers with one body and then with another", _BODY),
    "certificate-expired": (
        "its certificate has expired, or is not valid yet",
        "renew it, and see this machine's clock",
    ),
    "certificate-name": (
        "its certificate is for another name",
        "ask by the name that is in it, or make one for this name",
    ),
    "certificate-untrusted": ("its certificate is not signed by an authority that this machine trusts", TRUST),
    "certificate": ("its certificate cannot be verified", TRUST),
    "client-certificate": (
        "does not accept the client's certificate, or wants one",
        "give one that it trusts with --cert FILE --key FILE",
    ),
    "not-tls": ("does not speak TLS on this port", "write http:// in place of https://, or give its other port"),
    "tls": ("refuses the TLS handshake", "see its log: which versions does it speak, and does it want a certificate?"),
    "refused": ("nothing listens there", "is it running, and is the port right?"),
    "unknown-host": ("there is no such host", "is the name spelled right? sectax asks the system's resolver"),
    "connection": ("cannot be reached", "is it running, and is the network up?"),
    "closed": ("closed the connection before its answer was complete", _SERVER),
    "timeout": ("did not finish its answer in time", "is it overloaded? --timeout 60s waits longer"),
    "short-body": ("its body is shorter than its header says", _SERVER),
    "long-body": ("sends more than its header says", _SERVER),
    "body-flood": ("sends a body without end", "ask for something smaller"),
    "header-flood": ("sends a header without end", _SERVER),
    "malformed": ("what it answers is not HTTP", _SERVER),
    "exhausted": (
        "this machine has no port or file left for another connection",
        "wait a minute, --level connection=kept, or a lower --rate or concurrency",
    ),
    "file": ("a file cannot be used", "a certificate and its key, as PEM, that belong together"),
}
