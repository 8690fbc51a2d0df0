package main

import (
	"crypto/tls"
	"crypto/x509"

	"sectax/kit"
)

// settings are what both ends of an arm agree on. Each end is given its own certificate and key, and whom it trusts.
type settings struct {
	Protocol     string `json:"protocol"` // none, tls12, tls13
	Group        string `json:"group"`
	Certificates string `json:"certificates"` // PEM, the leaf first; empty where this end shows none
	Key          string `json:"key"`
	Roots        string `json:"roots"` // PEM; empty where this end asks for no certificate
	Name         string `json:"name"`  // of the server, as its certificate has it
	Resumption   bool   `json:"resumption"`
	RequestBytes int    `json:"request_bytes"`
	AnswerBytes  int    `json:"answer_bytes"`
	TimeoutNs    int64  `json:"timeout_ns"`
}

var versions = map[string]uint16{"tls12": tls.VersionTLS12, "tls13": tls.VersionTLS13}

var groups = map[string]tls.CurveID{
	"X25519":             tls.X25519,
	"P-256":              tls.CurveP256,
	"X25519MLKEM768":     tls.X25519MLKEM768,
	"SecP256r1MLKEM768":  tls.SecP256r1MLKEM768,
	"SecP384r1MLKEM1024": tls.SecP384r1MLKEM1024,
}

// AES-128-GCM on every arm: TLS 1.3 of crypto/tls takes it by itself where the processor has instructions for AES.
var suites = []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256}

// config is what both ends have in common; nil where there is no TLS.
func (s settings) config() (*tls.Config, error) {
	if s.Protocol == "none" {
		return nil, nil
	}
	protocol, known := versions[s.Protocol]
	group, has := groups[s.Group]
	if !known || !has {
		return nil, kit.NewFault("unsupported", s.Protocol+" with "+s.Group+" is not in this library")
	}
	made := &tls.Config{
		MinVersion: protocol, MaxVersion: protocol, CurvePreferences: []tls.CurveID{group}, CipherSuites: suites,
		SessionTicketsDisabled: !s.Resumption, ServerName: s.Name, DynamicRecordSizingDisabled: true,
	}
	if s.Certificates != "" {
		pair, err := tls.X509KeyPair([]byte(s.Certificates), []byte(s.Key))
		if err != nil {
			return nil, kit.NewFault("unsupported", err.Error())
		}
		made.Certificates = []tls.Certificate{pair}
	}
	return made, nil
}

func (s settings) pool() (*x509.CertPool, error) {
	made := x509.NewCertPool()
	if !made.AppendCertsFromPEM([]byte(s.Roots)) {
		return nil, kit.NewFault("unsupported", "the root certificate cannot be used")
	}
	return made, nil
}

// seen is what one end saw of a connection, in words that both ends and all libraries share.
func seen(state tls.ConnectionState) reply {
	one := reply{
		"protocol": protocolName(state.Version), "group": groupName(state.CurveID),
		"cipher": tls.CipherSuiteName(state.CipherSuite), "resumed": state.DidResume,
	}
	if len(state.PeerCertificates) > 0 {
		one["certificate"], one["chain"] = state.PeerCertificates[0].Raw, len(state.PeerCertificates)
	}
	return one
}

func protocolName(number uint16) string {
	for name, known := range versions {
		if known == number {
			return name
		}
	}
	return tls.VersionName(number)
}

func groupName(number tls.CurveID) string {
	for name, known := range groups {
		if known == number {
			return name
		}
	}
	return number.String()
}
