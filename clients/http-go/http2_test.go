package main

import (
	"crypto/tls"
	"encoding/pem"
	"hash/maphash"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"sectax/kit"
)

// served is a server that speaks HTTP/2, and what an arm of it wants.
func served(t *testing.T, secured bool, handler http.HandlerFunc) wanted {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	asked := wanted{
		Method: "GET", Kept: true, HTTP2: true, Concurrency: 1, TimeoutNs: int64(20 * time.Second), MostBody: 1 << 20,
	}
	if secured {
		server.EnableHTTP2 = true
		server.StartTLS()
		asked.CA = filepath.Join(t.TempDir(), "ca.pem")
		text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
		if err := os.WriteFile(asked.CA, text, 0o600); err != nil {
			t.Fatal(err)
		}
	} else {
		server.Config.Protocols = new(http.Protocols)
		server.Config.Protocols.SetUnencryptedHTTP2(true)
		server.Start()
	}
	t.Cleanup(server.Close)
	asked.URL = server.URL
	return asked
}

func greet(to http.ResponseWriter, _ *http.Request) { _, _ = to.Write([]byte("hello")) }

func TestHTTP2IsSpokenOverTLSAndWithout(t *testing.T) {
	for _, secured := range []bool{true, false} {
		for _, kept := range []bool{true, false} {
			asked := served(t, secured, greet)
			asked.Kept, asked.Concurrency = kept, 4
			opened, witnesses, err := open(asked, maphash.MakeSeed())
			if err != nil {
				t.Fatalf("secured %t, kept %t: %v", secured, kept, err)
			}
			done, err := opened.measure(40, 4, 0)
			if err != nil {
				t.Fatalf("secured %t, kept %t: %v", secured, kept, err)
			}
			if witnesses["protocol"] != "HTTP/2.0" || witnesses["body_bytes"] != int64(5) || len(done["elapsed_ns"].([]int64)) != 32 {
				t.Errorf("secured %t, kept %t: %v, %v", secured, kept, witnesses, done)
			}
			// One connection for all that are kept, and one more that looked whether anybody listens.
			if made := opened.connections.Load(); kept && made != 2 || !kept && made != opened.requests+1 {
				t.Errorf("secured %t, kept %t: %d connections for %d requests", secured, kept, made, opened.requests)
			}
			opened.close()
		}
	}
}

func TestFaultsOverHTTP2HaveTheirKinds(t *testing.T) {
	for kind, handler := range map[string]http.HandlerFunc{
		"status":     func(to http.ResponseWriter, _ *http.Request) { to.WriteHeader(500) },
		"redirect":   func(to http.ResponseWriter, _ *http.Request) { to.Header().Set("Location", "/x"); to.WriteHeader(302) },
		"body-flood": func(to http.ResponseWriter, _ *http.Request) { _, _ = to.Write(make([]byte, 2<<20)) },
		// As far as Go's reader of frames tells it apart from other breaches.
		"malformed": func(to http.ResponseWriter, _ *http.Request) {
			for range 40 {
				to.Header().Add("X-Filling", strings.Repeat("x", 64<<10))
			}
		},
		"timeout": func(_ http.ResponseWriter, asked *http.Request) { <-asked.Context().Done() },
		"closed": func(to http.ResponseWriter, _ *http.Request) {
			to.Header().Set("Content-Length", "10")
			_, _ = to.Write([]byte("hello"))
			panic(http.ErrAbortHandler)
		},
	} {
		asked := served(t, true, handler)
		if kind == "timeout" {
			asked.TimeoutNs = int64(300 * time.Millisecond)
		}
		_, _, err := open(asked, maphash.MakeSeed())
		if err == nil || kit.KindOf(err) != kind {
			t.Errorf("%s is %v", kind, err)
		}
	}
}

func TestAServerWithoutHTTP2IsFoundOut(t *testing.T) {
	asked := served(t, true, greet)
	server := httptest.NewTLSServer(http.HandlerFunc(greet)) // of HTTP/1.1 alone
	defer server.Close()
	asked.URL = server.URL
	if _, _, err := open(asked, maphash.MakeSeed()); err == nil || kit.KindOf(err) != "no-http2" {
		t.Errorf("%v", err)
	}
}

// A large body must not be kept: the client would need its size in memory, and more to copy it.
func TestALargeBodyTakesNoMemory(t *testing.T) {
	piece := make([]byte, 1<<20)
	const pieces = 200
	for _, http2 := range []bool{true, false} {
		asked := served(t, true, func(to http.ResponseWriter, _ *http.Request) {
			for range pieces {
				_, _ = to.Write(piece)
			}
		})
		asked.HTTP2, asked.MostBody = http2, 1<<30
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		opened, witnesses, err := open(asked, maphash.MakeSeed())
		runtime.ReadMemStats(&after)
		if err != nil {
			t.Fatal(err)
		}
		if witnesses["body_bytes"] != int64(pieces*len(piece)) || after.Sys-before.Sys > 32<<20 {
			t.Errorf("http2 %t: %v bytes took %d MiB", http2, witnesses["body_bytes"], (after.Sys-before.Sys)>>20)
		}
		opened.close()
	}
}

// answering answers every connection over TLS, where HTTP/2 was agreed on, with these bytes until its client gives up.
func answering(t *testing.T, piece []byte, again bool) wanted {
	t.Helper()
	asked := served(t, true, greet)
	issuer := httptest.NewUnstartedServer(nil)
	issuer.StartTLS()
	defer issuer.Close()
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{
		Certificates: issuer.TLS.Certificates, NextProtos: []string{"h2"}, MinVersion: tls.VersionTLS12,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			one, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = one.Close() }()
				_, err := one.Write(piece)
				for err == nil && again {
					time.Sleep(time.Millisecond)
					_, err = one.Write(piece)
				}
				_, _ = one.Read(make([]byte, 1<<16))
			}()
		}
	}()
	asked.URL = "https://" + listener.Addr().String()
	return asked
}

func TestAServerThatLiesOverHTTP2OrIsSlowIsFoundOut(t *testing.T) {
	settings, ping := []byte{0, 0, 0, 4, 0, 0, 0, 0, 0}, []byte{0, 0, 8, 6, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8}
	hello := "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
	trickle := func(to http.ResponseWriter, asked *http.Request) {
		for asked.Context().Err() == nil {
			_, _ = to.Write([]byte("x"))
			_ = http.NewResponseController(to).Flush()
			time.Sleep(10 * time.Millisecond)
		}
	}
	hints := func(to http.ResponseWriter, asked *http.Request) {
		for asked.Context().Err() == nil {
			to.WriteHeader(http.StatusEarlyHints)
		}
	}
	for name, one := range map[string]struct {
		asked wanted
		kinds string
	}{
		"a trickle":                     {served(t, true, trickle), "timeout"},
		"interim answers without end":   {served(t, true, hints), "malformed timeout"},
		"HTTP/1.1":                      {answering(t, []byte(hello), false), "no-http2"},
		"settings and then nothing":     {answering(t, settings, false), "short-body"},
		"pings without end":             {answering(t, append(settings, ping...), true), "timeout malformed"},
		"a frame of 16 MB":              {answering(t, append(settings, 255, 255, 255, 0, 0, 0, 0, 0, 1), false), "no-http2"},
		"a frame of an unknown request": {answering(t, append(settings, 0, 0, 1, 0, 1, 0, 0, 0, 9, 'x'), false), "malformed closed"},
	} {
		one.asked.TimeoutNs = int64(500 * time.Millisecond)
		began := time.Now()
		_, _, err := open(one.asked, maphash.MakeSeed())
		if err == nil || !strings.Contains(one.kinds, kit.KindOf(err)) {
			t.Errorf("%s is %v (%s)", name, err, kit.KindOf(err))
		}
		if time.Since(began) > 5*time.Second {
			t.Errorf("%s took %v", name, time.Since(began))
		}
	}
}
