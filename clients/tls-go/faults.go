package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
)

// fault is something that is not as it should be.
type fault struct{ kind, reason string }

func (f fault) Error() string { return f.reason }

// faultOf says what went wrong, as a kind and a text.
func faultOf(err error) reply {
	reason := err.Error()
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
	case strings.Contains(text, "certificate required"), strings.Contains(text, "bad certificate"),
		strings.Contains(text, "unknown certificate"):
		return "client-certificate"
	case errors.As(err, &record):
		return "not-tls"
	case errors.As(err, &alert), strings.Contains(text, "remote error: tls"), strings.Contains(text, "tls: "):
		return "tls"
	case errors.Is(err, os.ErrDeadlineExceeded), errors.As(err, &network) && network.Timeout():
		return "timeout"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET),
		errors.Is(err, syscall.EPIPE):
		return "closed"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "refused"
	case errors.Is(err, syscall.EADDRNOTAVAIL), errors.Is(err, syscall.EMFILE):
		return "exhausted"
	}
	return "other"
}
