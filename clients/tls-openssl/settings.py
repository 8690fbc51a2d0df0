"""What both ends of a connection share: settings as a context of OpenSSL, faults, and what one saw."""

from __future__ import annotations

import base64
import fcntl
import socket
import struct
import termios
from typing import Any

from OpenSSL import SSL, crypto
from OpenSSL._util import lib  # groups and the name of a peer have no other door

PROTOCOLS = {"tls12": SSL.TLS1_2_VERSION, "tls13": SSL.TLS1_3_VERSION}
NAMES = {"TLSv1.2": "tls12", "TLSv1.3": "tls13"}
# As OpenSSL calls the groups, and as all ends do.
GROUPS = {
    "X25519": "X25519",
    "P-256": "P-256",
    "X25519MLKEM768": "X25519MLKEM768",
    "SecP256r1MLKEM768": "SecP256r1MLKEM768",
    "SecP384r1MLKEM1024": "SecP384r1MLKEM1024",
}
SEEN_AS = {"x25519": "X25519", "secp256r1": "P-256", "prime256v1": "P-256"}
# SSL_MODE_NO_AUTO_CHAIN of openssl/ssl.h: otherwise who trusts a root sends it with its own certificate.
NO_AUTO_CHAIN = 8
# The place of two counters of the kernel in its struct tcp_info (linux/tcp.h).
BYTES_RECEIVED, BYTES_SENT, TCP_INFO_SIZE = 128, 200, 208


class Fault(Exception):
    """Something is not as it should be: its kind and a text."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.kind = kind


def kind_of(error: Exception) -> str:
    text = str(error)
    if isinstance(error, Fault):
        return error.kind
    if isinstance(error, SSL.WantReadError | BlockingIOError | TimeoutError):
        return "timeout"
    if isinstance(error, SSL.SysCallError | SSL.ZeroReturnError | EOFError | ConnectionResetError | BrokenPipeError):
        return "closed"
    if isinstance(error, ConnectionRefusedError):
        return "refused"
    for piece, kind in (
        ("certificate required", "client-certificate"),
        ("alert bad certificate", "client-certificate"),
        ("alert certificate unknown", "client-certificate"),
        ("wrong version number", "not-tls"),
        ("packet length too long", "not-tls"),
        ("unexpected eof", "closed"),
    ):
        if piece in text:
            return kind
    return "tls" if isinstance(error, SSL.Error) else "other"


# X509_V_ERR_* of x509_vfy.h.
_VERIFIED = {10: "certificate-expired", 62: "certificate-name"}
_UNTRUSTED = {18, 19, 20, 21}


_END = "-----END CERTIFICATE-----"


class Settings:
    """What both ends of an arm agree on, as a context of OpenSSL; None where there is no TLS."""

    def __init__(self, asked: dict[str, Any], of_client: bool) -> None:
        self.asked, self.of_client = asked, of_client
        self.timeout_s = asked["timeout_ns"] * 1e-9
        self.refused = 0  # why the other end's certificate was
        self.resumes = bool(asked["resumption"])
        self.context = self._context() if asked["protocol"] != "none" else None

    def _context(self) -> SSL.Context:
        asked = self.asked
        if asked["protocol"] not in PROTOCOLS or asked["group"] not in GROUPS:
            raise Fault("unsupported", f"{asked['protocol']} with {asked['group']} is not in this library")
        made = SSL.Context(SSL.TLS_CLIENT_METHOD if self.of_client else SSL.TLS_SERVER_METHOD)
        made.set_min_proto_version(PROTOCOLS[asked["protocol"]])
        made.set_max_proto_version(PROTOCOLS[asked["protocol"]])
        made.set_cipher_list(b"ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256")
        made.set_tls13_ciphersuites(b"TLS_AES_128_GCM_SHA256")
        # TLS 1.2 looks for the curve of an ECDSA certificate in the same list; the first one is for the key exchange.
        groups = [GROUPS[asked["group"]], *(["P-256"] if asked["protocol"] == "tls12" else [])]
        if lib.SSL_CTX_set1_curves_list(made._context, ":".join(dict.fromkeys(groups)).encode()) != 1:
            raise Fault("unsupported", f"{asked['group']} is not in this OpenSSL")
        made.set_mode(SSL._lib.SSL_MODE_AUTO_RETRY | NO_AUTO_CHAIN)
        made.set_session_cache_mode(SSL.SESS_CACHE_CLIENT if self.of_client else SSL.SESS_CACHE_OFF)
        made.set_session_id(b"sectax")
        if not self.resumes:
            made.set_options(SSL.OP_NO_TICKET)
        if asked["certificates"]:
            leaf, *others = (f"{text}{_END}" for text in asked["certificates"].split(_END)[:-1])
            made.use_certificate(crypto.load_certificate(crypto.FILETYPE_PEM, leaf.encode()))
            for one in others:
                made.add_extra_chain_cert(crypto.load_certificate(crypto.FILETYPE_PEM, one.encode()))
            made.use_privatekey(crypto.load_privatekey(crypto.FILETYPE_PEM, asked["key"].encode()))
        if asked["roots"]:
            store = made.get_cert_store()
            store.add_cert(crypto.load_certificate(crypto.FILETYPE_PEM, asked["roots"].encode()))
            made.set_verify(SSL.VERIFY_PEER | SSL.VERIFY_FAIL_IF_NO_PEER_CERT, self._verified)
            if self.of_client:
                name = asked["name"].encode()
                lib.X509_VERIFY_PARAM_set1_host(lib.SSL_CTX_get0_param(made._context), name, len(name))
        return made

    def _verified(self, _: SSL.Connection, __: crypto.X509, error: int, ___: int, ok: int) -> bool:
        if not ok:
            self.refused = error
        return bool(ok)

    def fault(self, error: Exception) -> Exception:
        """What an exception of a handshake is, where a certificate was the reason."""
        if not self.refused or not isinstance(error, SSL.Error):
            return error
        code, self.refused = self.refused, 0
        kind = "certificate-untrusted" if code in _UNTRUSTED else _VERIFIED.get(code, "certificate")
        return Fault(kind if self.of_client else "client-certificate", f"verify error {code} of OpenSSL")


def seen(of: SSL.Connection) -> dict[str, Any]:
    """What one end saw of a connection, in words that both ends and all libraries share."""
    peer = of.get_peer_certificate(as_cryptography=True)
    group = of.get_group_name() or ""
    chain = len(of.get_peer_cert_chain() or ())
    from cryptography.hazmat.primitives.serialization import Encoding

    return {
        "protocol": NAMES.get(of.get_protocol_version_name(), "another"),
        "group": SEEN_AS.get(group.lower(), group),
        "cipher": (of.get_cipher_name() or "").upper(),
        "resumed": is_resumed(of),
        "chain": chain,
        "certificate": "" if peer is None else base64.b64encode(peer.public_bytes(Encoding.DER)).decode(),
    }


def is_resumed(of: SSL.Connection) -> bool:
    return lib.SSL_session_reused(of._ssl) == 1


def patient(own: socket.socket, seconds: float) -> None:
    """Have the kernel end a reading that takes too long; a timeout of Python's own would make it poll."""
    own.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    own.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("ll", int(seconds), 0))


def counted(own: socket.socket) -> tuple[int, int]:
    """Bytes that were sent, and that came and were read, as the kernel counts them."""
    now_unread, unread = _unread(own), -1
    while now_unread != unread:  # a server's tickets come at any moment, and are to be in both counts or in neither
        unread = now_unread
        info = own.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, TCP_INFO_SIZE)
        now_unread = _unread(own)
    (sent,), (received,) = struct.unpack_from("Q", info, BYTES_SENT), struct.unpack_from("Q", info, BYTES_RECEIVED)
    return sent, received - unread


def _unread(own: socket.socket) -> int:
    """Bytes that came, and were not read."""
    count: int = struct.unpack("i", fcntl.ioctl(own.fileno(), termios.FIONREAD, bytes(4)))[0]
    return count


def read_exactly(of: Any, into: memoryview) -> None:
    at = 0
    while at < len(into):
        count = of.recv_into(into[at:])
        if count == 0:
            raise EOFError("the other end has closed")
        at += count
