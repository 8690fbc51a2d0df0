package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"
)

const name = "server.test"

// pair has the settings of both ends.
type pair struct{ server, client settings }

// certified gives both ends new certificates.
func certified(t testing.TB, group string, ended bool) pair {
	t.Helper()
	rootKey, root := signed(t, nil, nil, "root", time.Now().Add(time.Hour))
	until := time.Now().Add(time.Hour)
	if ended {
		until = time.Now().Add(-time.Minute)
	}
	key, leaf := signed(t, root, rootKey, name, until)
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	both := settings{Protocol: "tls13", Group: group, Name: name, RequestBytes: 16, AnswerBytes: 32, TimeoutNs: int64(10 * time.Second)}
	server, client := both, both
	server.Certificates, server.Key = asPem("CERTIFICATE", leaf.Raw), asPem("PRIVATE KEY", private)
	client.Roots = asPem("CERTIFICATE", root.Raw)
	return pair{server, client}
}

func signed(t testing.TB, by *x509.Certificate, byKey *ecdsa.PrivateKey, of string, until time.Time) (*ecdsa.PrivateKey, *x509.Certificate) {
	t.Helper()
	key, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: of}, DNSNames: []string{of},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: until, BasicConstraintsValid: true, IsCA: by == nil,
	}
	if by == nil {
		by, byKey = template, key
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, by, key.Public(), byKey)
	if err != nil {
		t.Fatal(err)
	}
	made, _ := x509.ParseCertificate(raw)
	return key, made
}

func asPem(kind string, raw []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: raw}))
}

// connected is an arm that was opened at both ends.
func connected(t testing.TB, of pair) (end, end) {
	t.Helper()
	there, here := newServer(), newClient()
	listening, err := there.handle(request{Command: "listen", Arm: "a", settings: of.server})
	if err != nil {
		t.Fatal(err)
	}
	asked := request{Command: "open", Arm: "a", Port: listening["port"].(int), settings: of.client}
	if _, err := here.handle(asked); err != nil {
		t.Fatal(err)
	}
	return there, here
}

func bytesOf(t *testing.T, group string) (sent, received int64) {
	t.Helper()
	_, here := connected(t, certified(t, group, false))
	const count = 8
	seen, err := here.handle(request{Command: "measure", Arm: "a", Count: count, Requests: 2})
	if err != nil {
		t.Fatal(err)
	}
	return seen["handshake_sent_bytes"].(int64) / count, seen["handshake_received_bytes"].(int64) / count
}

func TestAHybridHasTheBytesOfItsKeyShares(t *testing.T) {
	sent, received := bytesOf(t, "X25519")
	hybridSent, hybridReceived := bytesOf(t, "X25519MLKEM768")
	if hybridSent-sent != 1184 {
		t.Errorf("a hybrid sends %d bytes more, not 1184", hybridSent-sent)
	}
	// A signature is one to three bytes longer or shorter than the next one, and so is a certificate.
	if more := hybridReceived - received; more < 1088-6 || more > 1088+6 {
		t.Errorf("a hybrid receives %d bytes more, not about 1088", more)
	}
}

func TestEveryGroupIsNegotiatedAsAsked(t *testing.T) {
	for group := range groups {
		there, _ := connected(t, certified(t, group, false))
		tally, _ := there.handle(request{Command: "tally", Arm: "a"})
		if seen := tally["seen"].(reply); seen["group"] != group || tally["alike"] != true {
			t.Errorf("%s is seen as %v", group, tally)
		}
	}
}

func TestAResumedConnectionIsSeenByBothEnds(t *testing.T) {
	both := certified(t, "X25519", false)
	both.server.Resumption, both.client.Resumption = true, true
	there, here := connected(t, both)
	closed, _ := here.handle(request{Command: "close", Arm: "a"})
	tally, _ := there.handle(request{Command: "tally", Arm: "a"})
	if closed["resumed"] != closed["handshakes"].(int64)-1 || tally["resumed"] != closed["resumed"] {
		t.Errorf("the client says %v, and the server %v", closed, tally)
	}
}

func TestABadCertificateIsNamed(t *testing.T) {
	misnamed, untrusted := certified(t, "X25519", false), certified(t, "X25519", false)
	misnamed.client.Name = "other.test"
	untrusted.client.Roots = misnamed.client.Roots
	for kind, both := range map[string]pair{
		"certificate-expired": certified(t, "X25519", true), "certificate-name": misnamed, "certificate-untrusted": untrusted,
	} {
		there, here := newServer(), newClient()
		listening, _ := there.handle(request{Command: "listen", Arm: "a", settings: both.server})
		_, err := here.handle(request{Command: "open", Arm: "a", Port: listening["port"].(int), settings: both.client})
		if err == nil || kindOf(err) != kind {
			t.Errorf("%s is called %v", kind, err)
		}
	}
}

func TestASlowLineAddsItsDelayToEveryRoundTrip(t *testing.T) {
	both := certified(t, "X25519", false)
	there, here, line := newServer(), newClient(), newDelay()
	listening, _ := there.handle(request{Command: "listen", Arm: "a", settings: both.server})
	const delay = 30 * time.Millisecond
	slow, err := line.handle(request{Command: "listen", Arm: "a", Port: listening["port"].(int), DelayNs: int64(delay)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := here.handle(request{Command: "open", Arm: "a", Port: slow["port"].(int), settings: both.client}); err != nil {
		t.Fatal(err)
	}
	seen, err := here.handle(request{Command: "measure", Arm: "a", Count: 1, Requests: 1})
	if err != nil {
		t.Fatal(err)
	}
	// A handshake of TLS 1.3 is one round trip, and the first byte comes after another one.
	if handshake := seen["handshake_ns"].([]int64)[0]; handshake < int64(delay) || handshake >= int64(2*delay) {
		t.Errorf("a handshake takes %d ns", handshake)
	}
	if first := seen["first_byte_ns"].([]int64)[0]; first < int64(2*delay) {
		t.Errorf("the first byte comes after %d ns", first)
	}
}

func TestAServerThatClosesInTheMiddleIsNamed(t *testing.T) {
	both := certified(t, "X25519", false)
	bad, _ := net.Listen("tcp", "127.0.0.1:0")
	defer bad.Close()
	go func() {
		for conn, err := bad.Accept(); err == nil; conn, err = bad.Accept() {
			_, _ = conn.Read(make([]byte, 64))
			_ = conn.Close()
		}
	}()
	_, err := newClient().handle(request{Command: "open", Arm: "a", Port: bad.Addr().(*net.TCPAddr).Port, settings: both.client})
	if err == nil || kindOf(err) != "closed" {
		t.Errorf("it is called %v", err)
	}
}

// BenchmarkConnection is what a Go programmer would write: both ends in one process, and no more than what tls.Dial does.
func BenchmarkConnection(b *testing.B) {
	both := certified(b, "X25519", false)
	there := newServer()
	listening, err := there.handle(request{Command: "listen", Arm: "a", settings: both.server})
	if err != nil {
		b.Fatal(err)
	}
	config, _ := both.client.config()
	config.RootCAs, _ = both.client.pool()
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(listening["port"].(int)))
	for b.Loop() {
		conn, err := tls.Dial("tcp", address, config)
		if err != nil {
			b.Fatal(err)
		}
		_ = conn.Close()
	}
}

// BenchmarkDial is tls.Dial alone, to a server in another process that has nothing else to do by then: the same that the
// client times as connect and handshake. SECTAX_SERVER is the server's address, and SECTAX_ROOT the file with its root.
func BenchmarkDial(b *testing.B) {
	address, named := os.LookupEnv("SECTAX_SERVER")
	if !named {
		b.Skip("needs a server: python -m benchmarks.tls_handshake starts one")
	}
	root, err := os.ReadFile(os.Getenv("SECTAX_ROOT"))
	if err != nil {
		b.Fatal(err)
	}
	client := settings{Protocol: "tls13", Group: "X25519", Name: name, Roots: string(root)}
	config, _ := client.config()
	config.RootCAs, _ = client.pool()
	dial := func() time.Duration {
		began := time.Now()
		conn, err := tls.Dial("tcp", address, config)
		took := time.Since(began)
		if err != nil {
			b.Fatal(err)
		}
		_ = conn.CloseWrite()
		_ = conn.NetConn().(*net.TCPConn).CloseWrite()
		_, _ = io.Copy(io.Discard, conn.NetConn())
		_ = conn.Close()
		return took
	}
	for range warming {
		dial()
	}
	var took []time.Duration
	for b.Loop() {
		took = append(took, dial())
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2]), "median-ns")
}
