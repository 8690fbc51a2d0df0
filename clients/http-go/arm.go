package main

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"fmt"
	"hash/maphash"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"sectax/kit"
)

const (
	// A kept connection that was idle for longer is opened again before it is used.
	stale = time.Second
	// Requests before any that counts: the first ones of a connection are slower.
	mostWarming, warming = 10, 50 * time.Millisecond
)

// wanted is what an arm asks of which server.
type wanted struct {
	URL         string      `json:"url"`
	Method      string      `json:"method"`
	Headers     [][2]string `json:"headers"`
	Body        []byte      `json:"body"`
	Kept        bool        `json:"kept"`
	HTTP2       bool        `json:"http2"`
	Concurrency int         `json:"concurrency"`
	Rate        float64     `json:"rate"`
	AddedNs     int64       `json:"added_ns"`
	Statuses    []int       `json:"statuses"`
	CA          string      `json:"ca"`
	Certificate string      `json:"certificate"`
	Key         string      `json:"key"`
	TimeoutNs   int64       `json:"timeout_ns"`
	MostBody    int64       `json:"most_body"`
	BodiesVary  bool        `json:"bodies_vary"`
	Mark        []byte      `json:"mark"`
}

func (w wanted) timeout() time.Duration { return time.Duration(w.TimeoutNs) }

// asker sends requests, one at a time.
type asker interface {
	// ready opens what is to be open before a request is timed.
	ready(now time.Time) error
	// request is one request, whose time began; when it ended is the second value.
	request(began time.Time) (answer, time.Time, error)
	// listen gives the body of what is asked next to a writer too.
	listen(to io.Writer)
	drop()
}

// arm is one side of a comparison: a server, what is asked of it, and the connections to it.
type arm struct {
	wanted         wanted
	at             *url.URL
	address        string
	tls            *tls.Config
	raw            []byte // the request, as HTTP/1.1 has it
	seed           maphash.Seed
	askers         []asker
	loop           *loop  // in which they take turns; nil where they are goroutines
	expected       answer // the first one, that the others must be like
	sent, received atomic.Int64
	connections    atomic.Int64
	closesFirst    atomic.Bool // the server leaves it to us to close a connection
	requests       int64
}

// open connects, asks once, and says what it saw.
func open(asked wanted, seed maphash.Seed) (*arm, kit.Reply, error) {
	made := &arm{wanted: asked, seed: seed}
	if err := made.understand(); err != nil {
		return nil, nil, err
	}
	if asked.Concurrency > 1 && made.hasWires() {
		var err error
		if made.loop, err = newLoop(); err != nil {
			return nil, nil, err
		}
	}
	for range max(1, asked.Concurrency) {
		if asked.HTTP2 {
			made.askers = append(made.askers, newMultiplexed(made))
		} else {
			made.askers = append(made.askers, newPlainOne(made))
		}
	}
	witnesses, err := made.first()
	if err == nil {
		err = made.warmUp()
	}
	if err != nil {
		made.close()
		return nil, nil, err
	}
	return made, witnesses, nil
}

func (a *arm) understand() error {
	at, err := url.Parse(a.wanted.URL)
	if err != nil || at.Hostname() == "" {
		return kit.NewFault("other", "the address cannot be read") // unquoted: it may hold a password
	}
	a.at = at
	port := at.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[at.Scheme]
	}
	if err := a.resolve(at.Hostname(), port); err != nil {
		return err
	}
	if at.Scheme == "https" {
		if a.tls, err = a.security(); err != nil {
			return err
		}
	}
	a.raw = a.serialized()
	return nil
}

// resolve looks the name up once, so that all requests go to the same place and none of them waits for it.
func (a *arm) resolve(host, port string) error {
	within, cancel := context.WithTimeout(context.Background(), a.wanted.timeout())
	defer cancel()
	found, err := net.DefaultResolver.LookupHost(within, host)
	if err != nil {
		return err
	}
	for _, each := range found {
		a.address = net.JoinHostPort(each, port)
		var tried *kit.Counted
		if tried, err = a.dial(); err == nil {
			return tried.Close()
		}
	}
	return err
}

func (a *arm) security() (*tls.Config, error) {
	made := &tls.Config{ServerName: a.at.Hostname(), NextProtos: []string{"http/1.1"}}
	if a.wanted.HTTP2 {
		made.NextProtos = []string{"h2"}
	}
	if a.wanted.CA != "" {
		text, err := os.ReadFile(a.wanted.CA)
		if err != nil {
			return nil, kit.NewFault("file", err.Error())
		}
		made.RootCAs = x509.NewCertPool()
		if !made.RootCAs.AppendCertsFromPEM(text) {
			return nil, kit.NewFault("file", a.wanted.CA+" holds no certificate")
		}
	}
	if a.wanted.Certificate != "" {
		pair, err := tls.LoadX509KeyPair(a.wanted.Certificate, a.wanted.Key)
		if err != nil {
			return nil, kit.NewFault("file", err.Error())
		}
		made.Certificates = []tls.Certificate{pair}
	}
	return made, nil
}

// headers are those of the user, and what is sent where he names nothing else.
func (a *arm) headers() [][2]string {
	all := [][2]string{}
	named := func(name string) bool {
		return slices.ContainsFunc(a.wanted.Headers, func(each [2]string) bool { return strings.EqualFold(each[0], name) })
	}
	for _, each := range [][2]string{{"User-Agent", "sectax"}, {"Accept", "*/*"}} {
		if !named(each[0]) {
			all = append(all, each)
		}
	}
	if user := a.at.User; user != nil && !named("Authorization") {
		password, _ := user.Password()
		basic := &http.Request{Header: http.Header{}}
		basic.SetBasicAuth(user.Username(), password)
		all = append(all, [2]string{"Authorization", basic.Header.Get("Authorization")})
	}
	return append(all, a.wanted.Headers...)
}

func (a *arm) serialized() []byte {
	var text bytes.Buffer
	fmt.Fprintf(&text, "%s %s HTTP/1.1\r\n", a.wanted.Method, a.at.RequestURI())
	if !slices.ContainsFunc(a.wanted.Headers, func(each [2]string) bool { return strings.EqualFold(each[0], "Host") }) {
		fmt.Fprintf(&text, "Host: %s\r\n", a.at.Host)
	}
	for _, each := range a.headers() {
		fmt.Fprintf(&text, "%s: %s\r\n", each[0], each[1])
	}
	if len(a.wanted.Body) > 0 || a.wanted.Method == "POST" || a.wanted.Method == "PUT" || a.wanted.Method == "PATCH" {
		fmt.Fprintf(&text, "Content-Length: %d\r\n", len(a.wanted.Body))
	}
	if !a.wanted.Kept {
		text.WriteString("Connection: close\r\n")
	}
	text.WriteString("\r\n")
	text.Write(a.wanted.Body)
	return text.Bytes()
}

// dial connects to the one address of this arm, and to nothing else: no proxy, and no address that an answer names.
func (a *arm) dial() (*kit.Counted, error) {
	conn, err := net.DialTimeout("tcp", a.address, a.wanted.timeout())
	if err != nil {
		return nil, err
	}
	a.connections.Add(1)
	return &kit.Counted{Conn: conn, Sent: &a.sent, Received: &a.received}, nil
}

// hasWires says whether connections are of our own kind: where one thread can do all there is to do.
func (a *arm) hasWires() bool {
	return !a.wanted.HTTP2 && a.wanted.Rate == 0 && (a.tls == nil || a.wanted.Concurrency <= 1)
}

// first asks once, and keeps the answer as the one that all others must be like.
func (a *arm) first() (kit.Reply, error) {
	// Under a key of the run's own: a plain hash would give away a short secret.
	mark := hmac.New(sha256.New, a.wanted.Mark)
	one := a.askers[0]
	if err := one.ready(time.Now()); err != nil {
		return nil, err
	}
	one.listen(mark) // as it comes: a body may be larger than the memory
	seen, _, err := one.request(time.Now())
	one.listen(nil)
	if err == nil {
		err = a.judgeStatus(seen.status)
	}
	if err != nil {
		return nil, err
	}
	a.expected = seen
	a.requests++
	witnesses := kit.Reply{"status": seen.status, "body_bytes": seen.length, "protocol": seen.protocol}
	if !a.wanted.BodiesVary {
		witnesses["body"] = hex.EncodeToString(mark.Sum(nil)[:8])
	}
	if state := seen.tls; state != nil {
		witnesses["tls"] = tls.VersionName(state.Version) + ", " + tls.CipherSuiteName(state.CipherSuite)
		witnesses["client_certificate"] = a.wanted.Certificate != ""
	}
	return witnesses, nil
}

func (a *arm) warmUp() error {
	began := time.Now()
	for turn := range mostWarming {
		for place, one := range a.askers {
			if place > 0 && turn > 0 {
				break // the others are connected, and one of them is enough to warm the server
			}
			if err := a.try(one); err != nil {
				return err
			}
		}
		if time.Since(began) > warming {
			break
		}
	}
	return nil
}

func (a *arm) try(one asker) error {
	if err := one.ready(time.Now()); err != nil {
		return err
	}
	seen, _, err := one.request(time.Now())
	a.requests++
	if err == nil {
		err = a.judge(seen)
	}
	return err
}

// judge says whether an answer is like the first one.
func (a *arm) judge(seen answer) error {
	if seen.status != a.expected.status {
		if err := a.judgeStatus(seen.status); err != nil {
			return err
		}
		return kit.NewFault("status-varies", fmt.Sprintf("the status is %d, and was %d before", seen.status, a.expected.status))
	}
	if !a.wanted.BodiesVary && (seen.length != a.expected.length || seen.digest != a.expected.digest) {
		return kit.NewFault("body-varies", fmt.Sprintf("a body of %d bytes is another one than the first, of %d", seen.length, a.expected.length))
	}
	return nil
}

func (a *arm) judgeStatus(status int) error {
	if slices.Contains(a.wanted.Statuses, status) || (len(a.wanted.Statuses) == 0 && status >= 200 && status < 300) {
		return nil
	}
	kind := "status"
	if status >= 300 && status < 400 {
		kind = "redirect"
	}
	return kit.NewFault(kind, fmt.Sprintf("%d %s", status, http.StatusText(status)))
}

func (a *arm) tooLong() error {
	return kit.NewFault("body-flood", fmt.Sprintf("the body is longer than %d bytes", a.wanted.MostBody))
}

func (a *arm) close() {
	for _, one := range a.askers {
		one.drop()
	}
	if a.loop != nil {
		a.loop.close()
	}
}
