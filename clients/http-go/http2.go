package main

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"sectax/kit"
)

// multiplexed speaks HTTP/2, by net/http. All askers of an arm whose connection is kept share one.
type multiplexed struct {
	of     *arm
	shared *http.Transport
	sink   plainOne // reads and hashes bodies
}

func newMultiplexed(of *arm) *multiplexed {
	made := &multiplexed{of: of, sink: *newPlainOne(of)}
	if len(of.askers) > 0 {
		if first, ok := of.askers[0].(*multiplexed); ok && of.wanted.Kept {
			made.shared = first.shared
			return made
		}
	}
	made.shared = made.transport()
	return made
}

func (m *multiplexed) transport() *http.Transport {
	var spoken http.Protocols
	spoken.SetHTTP2(m.of.tls != nil)
	spoken.SetUnencryptedHTTP2(m.of.tls == nil)
	return &http.Transport{
		Protocols:              &spoken,
		TLSClientConfig:        m.of.tls,
		TLSHandshakeTimeout:    m.of.wanted.timeout(),
		DisableCompression:     true,
		MaxResponseHeaderBytes: mostHeader,
		DialContext: func(context.Context, string, string) (net.Conn, error) {
			return m.of.dial()
		},
	}
}

func (m *multiplexed) ready(time.Time) error { return nil }

func (m *multiplexed) listen(to io.Writer) { m.sink.listen(to) }

func (m *multiplexed) drop() { m.shared.CloseIdleConnections() }

func (m *multiplexed) request(began time.Time) (answer, time.Time, error) {
	seen, err := m.exchange(began)
	ended := time.Now()
	if !m.of.wanted.Kept {
		m.drop()
	}
	return seen, ended, err
}

func (m *multiplexed) exchange(began time.Time) (answer, error) {
	within, cancel := context.WithDeadline(context.Background(), began.Add(m.of.wanted.timeout()))
	defer cancel()
	asked, err := http.NewRequestWithContext(within, m.of.wanted.Method, m.of.at.String(), bytes.NewReader(m.of.wanted.Body))
	if err != nil {
		return answer{}, kit.NewFault("other", "the request cannot be made")
	}
	for _, each := range m.of.headers() {
		if strings.EqualFold(each[0], "Host") {
			asked.Host = each[1]
		} else {
			asked.Header.Add(each[0], each[1])
		}
	}
	// RoundTrip, and not a client: nothing is followed, and nothing is sent a second time elsewhere.
	came, err := m.shared.RoundTrip(asked)
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = came.Body.Close() }()
	if came.ProtoMajor != 2 {
		return answer{}, kit.NewFault("no-http2", "it answers with "+came.Proto)
	}
	seen := answer{status: came.StatusCode, first: time.Now(), protocol: came.Proto, tls: came.TLS}
	m.sink.digest.Reset()
	m.sink.deadline = began.Add(m.of.wanted.timeout())
	seen.length, err = m.sink.consume(came.Body, -1)
	if err == nil && came.ContentLength >= 0 && seen.length != came.ContentLength && m.of.wanted.Method != "HEAD" {
		err = io.ErrUnexpectedEOF
	}
	seen.digest = m.sink.digest.Sum64()
	return seen, err
}
