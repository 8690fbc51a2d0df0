package reader

import (
	"context"
	"crypto/tls"
	"net/http/httptrace"
	"sync"
	"time"
)

// parts is where the time of HTTP calls goes, by this process's own clock. A transport tells of it from several
// goroutines.
type parts struct {
	mutex sync.Mutex
	since map[string]time.Time
	spent map[string]time.Duration
}

// watch makes a context whose calls are told of here. The backend is what passes from the request's last byte to the
// answer's first.
func (p *parts) watch(ctx context.Context) context.Context {
	p.since, p.spent = map[string]time.Time{}, map[string]time.Duration{}
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		DNSStart:          func(httptrace.DNSStartInfo) { p.begin("dns_ns") },
		DNSDone:           func(httptrace.DNSDoneInfo) { p.end("dns_ns") },
		ConnectStart:      func(string, string) { p.begin("connect_ns") },
		ConnectDone:       func(string, string, error) { p.end("connect_ns") },
		TLSHandshakeStart: func() { p.begin("handshake_ns") },
		TLSHandshakeDone:  func(tls.ConnectionState, error) { p.end("handshake_ns") },
		GotConn:           func(httptrace.GotConnInfo) { p.begin("request_ns") },
		WroteRequest:      func(httptrace.WroteRequestInfo) { p.follow("request_ns", "backend_ns") },
		GotFirstResponseByte: func() {
			// The goroutine that writes may tell of it only after the one that reads has seen the answer: then the
			// border between the two is not known, and all of it counts as the request.
			p.follow("request_ns", "backend_ns")
			p.end("backend_ns")
		},
	})
}

func (p *parts) begin(part string) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.since[part] = time.Now()
}

func (p *parts) end(part string) { p.follow(part, "") }

// follow ends a part and begins the next, if there is one. A part that is not open has no next.
func (p *parts) follow(part, next string) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	since, begun := p.since[part]
	if !begun {
		return
	}
	now := time.Now()
	p.spent[part] += now.Sub(since)
	delete(p.since, part)
	if next != "" {
		p.since[next] = now
	}
}

func (p *parts) told() map[string]int64 {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	told := make(map[string]int64, len(p.spent))
	for part, spent := range p.spent {
		told[part] = spent.Nanoseconds()
	}
	return told
}
