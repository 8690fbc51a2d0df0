package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
)

// fault is an answer of the server that is not what it should be.
type fault struct{ kind, reason string }

func (f fault) Error() string { return f.reason }

// faultOf says what went wrong, as a kind and a text.
func faultOf(err error) reply {
	reason := err.Error()
	var lookup *net.DNSError
	if errors.As(err, &lookup) {
		reason = lookup.Err // without the resolver's address
	}
	if len(reason) > 300 {
		reason = strings.ToValidUTF8(reason[:300], "") + "…"
	}
	return reply{"ok": false, "kind": kindOf(err), "reason": reason}
}

func kindOf(err error) string {
	var own fault
	var name x509.HostnameError
	var authority x509.UnknownAuthorityError
	var invalid x509.CertificateInvalidError
	var alert tls.AlertError
	var record tls.RecordHeaderError
	var lookup *net.DNSError
	var network net.Error
	text := err.Error()
	switch {
	case errors.As(err, &own):
		return own.kind
	case errors.As(err, &name):
		return "certificate-name"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "certificate-expired"
	case errors.As(err, &authority):
		return "certificate-untrusted"
	case errors.As(err, &invalid), strings.Contains(text, "x509:"):
		return "certificate"
	case strings.Contains(text, "ALPN"), strings.Contains(text, "no application protocol"):
		return "no-http2"
	case strings.Contains(text, "certificate required"), strings.Contains(text, "bad certificate"),
		strings.Contains(text, "unknown certificate"):
		return "client-certificate"
	case errors.As(err, &record):
		return "not-tls"
	case errors.As(err, &alert), strings.Contains(text, "remote error: tls"):
		return "tls"
	case errors.As(err, &lookup):
		return "unknown-host"
	case strings.Contains(text, "header list larger"), strings.Contains(text, "server response headers exceeded"):
		return "header-flood"
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded),
		errors.As(err, &network) && network.Timeout():
		return "timeout"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "refused"
	case errors.Is(err, syscall.EADDRNOTAVAIL), errors.Is(err, syscall.EMFILE):
		return "exhausted"
	case strings.Contains(text, "http2: frame too large"), strings.Contains(text, "malformed HTTP"):
		return "no-http2"
	case strings.Contains(text, "PROTOCOL_ERROR"):
		return "malformed"
	case strings.Contains(text, "stream error"), strings.Contains(text, "GOAWAY"):
		return "closed"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "short-body"
	case errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return "closed"
	case errors.As(err, &network):
		return "connection"
	}
	return "other"
}
