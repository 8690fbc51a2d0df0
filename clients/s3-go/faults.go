package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"strings"

	smithy "github.com/aws/smithy-go"
)

// wrong is an answer of the service that is not what it should be.
type wrong struct{ kind, reason string }

func (w wrong) Error() string { return w.reason }

// faultOf says what went wrong, as a kind and a text.
func faultOf(err error) reply {
	reason := err.Error()
	var answered smithy.APIError
	if errors.As(err, &answered) && answered.ErrorMessage() != "" {
		reason = answered.ErrorMessage() // without the numbers of the request
	}
	return reply{"ok": false, "kind": kindOf(err), "reason": reason}
}

func kindOf(err error) string {
	var own wrong
	var answered smithy.APIError
	var untrusted *tls.CertificateVerificationError
	var authority x509.UnknownAuthorityError
	var network net.Error
	switch {
	case errors.As(err, &own):
		return own.kind
	case errors.As(err, &untrusted), errors.As(err, &authority):
		return "certificate"
	case errors.As(err, &answered) && answered.ErrorCode() != "":
		return answered.ErrorCode()
	case strings.Contains(err.Error(), "checksum did not match"):
		return "wrong-checksum"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "short-body"
	case strings.Contains(err.Error(), "get credentials"), strings.Contains(err.Error(), "failed to refresh cached"):
		return "credentials"
	case errors.As(err, &network) && network.Timeout():
		return "timeout"
	case errors.As(err, &network):
		return "connection"
	}
	return "other"
}
