package kit

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

const longestReason = 300

// Fault is something that is not as it should be.
type Fault struct{ Kind, Reason string }

func (f Fault) Error() string { return f.Reason }

// NewFault is one of a kind.
func NewFault(kind, reason string) error { return Fault{kind, reason} }

// explained is an error of a library that has a better text than its own.
type explained interface{ ErrorMessage() string }

func reasonOf(err error) string {
	reason := err.Error()
	var lookup *net.DNSError
	var answered explained
	switch {
	case errors.As(err, &lookup):
		reason = lookup.Err // without the resolver's address
	case errors.As(err, &answered) && answered.ErrorMessage() != "":
		reason = answered.ErrorMessage()
	}
	if len(reason) > longestReason {
		reason = strings.ToValidUTF8(reason[:longestReason], "") + "…"
	}
	return reason
}

// KindOf is the kind of an error of a connection, its TLS, or HTTP/2 over it.
func KindOf(err error) string {
	var own Fault
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
		return own.Kind
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
