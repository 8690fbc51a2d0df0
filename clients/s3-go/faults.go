package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"strings"

	smithy "github.com/aws/smithy-go"

	"sectax/kit"
)

func kindOf(err error) string {
	var own kit.Fault
	var answered smithy.APIError
	var untrusted *tls.CertificateVerificationError
	var authority x509.UnknownAuthorityError
	var network net.Error
	switch {
	case errors.As(err, &own):
		return own.Kind
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
