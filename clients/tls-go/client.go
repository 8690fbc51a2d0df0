package main

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"time"

	"sectax/kit"
)

// Connections before any that counts: the first ones of a process are slower.
const warming = 3

// client has the client's side of every arm.
type client struct{ arms map[string]*arm }

func newClient() end { return &client{map[string]*arm{}} }

// arm is the client's side of one: whom it talks to, and how.
type arm struct {
	settings
	address    string
	pid        int // of the server: its CPU time is read too
	config     *tls.Config
	expected   tls.ConnectionState // the first one, that all others must be like
	kept       *line
	handshakes int64
	resumed    int64
}

// line is one connection, set up.
type line struct {
	*counted
	own                              net.Conn // what requests go over
	state                            tls.ConnectionState
	connected, began, ready, first   time.Time
	connecting                       time.Duration
	handshakeSent, handshakeReceived int64
	question, answer                 []byte
}

func (c *client) handle(asked request) (reply, error) {
	if asked.Command == "open" {
		opened, answer, err := open(asked)
		if err == nil {
			c.arms[asked.Arm] = opened
		}
		return answer, err
	}
	on := c.arms[asked.Arm]
	if on == nil {
		return nil, kit.NewFault("other", asked.Command+" before open")
	}
	switch asked.Command {
	case "measure":
		return on.measure(asked.Count, asked.Requests, asked.AddedNs)
	case "close":
		delete(c.arms, asked.Arm)
		if on.kept != nil {
			on.kept.hangUp()
		}
		return reply{"handshakes": on.handshakes, "resumed": on.resumed}, nil
	}
	return nil, kit.NewFault("other", "there is no command "+asked.Command)
}

// open connects for the first time, and says what was negotiated and what both ends sent to agree on it.
func open(asked request) (*arm, reply, error) {
	made := &arm{settings: asked.settings, pid: asked.Pid, address: fmt.Sprintf("127.0.0.1:%d", asked.Port)}
	var err error
	if made.config, err = asked.config(); err != nil {
		return nil, nil, err
	}
	if made.config != nil {
		if made.config.RootCAs, err = asked.pool(); err != nil {
			return nil, nil, err
		}
		if asked.Resumption {
			// The first connection is a full one, and brings the ticket of the second.
			made.config.ClientSessionCache = tls.NewLRUClientSessionCache(4)
			if _, err := made.once(false, 0); err != nil {
				return nil, nil, err
			}
		}
	}
	first, err := made.once(true, 0)
	if err != nil {
		return nil, nil, err
	}
	made.expected = first.state
	if made.kept, err = made.connect(false); err != nil {
		return nil, nil, err
	}
	if err := made.kept.ask(); err != nil {
		return nil, nil, err
	}
	for range warming {
		if _, err := made.once(false, 0); err != nil {
			return nil, nil, err
		}
	}
	answer := reply{"wrote": first.wrote, "read": first.read, "seen": reply{"protocol": "none"}}
	if made.config != nil {
		answer["seen"] = seen(first.state)
	}
	return made, answer, nil
}

// once is one connection: set up, one request, closed.
func (a *arm) once(keeps bool, addedNs int64) (*line, error) {
	made, err := a.connect(keeps)
	if err != nil {
		return nil, err
	}
	if err := made.ask(); err != nil {
		return nil, err
	}
	made.hangUp()
	// Before the end of a connection it would let the server go idle, and its next handshake would be another.
	ended := time.Now()
	made.first = made.first.Add(kit.Spin(ended, addedNs).Sub(ended))
	return made, a.judge(made)
}

// connect sets a connection up. Its own work between two readings of the clock is the library's alone.
func (a *arm) connect(keeps bool) (*line, error) {
	made := &line{question: make([]byte, a.RequestBytes), answer: make([]byte, a.AnswerBytes)}
	began := time.Now()
	conn, err := net.DialTimeout("tcp", a.address, time.Duration(a.TimeoutNs))
	if err != nil {
		return nil, err
	}
	_ = conn.SetDeadline(time.Now().Add(time.Duration(a.TimeoutNs)))
	made.counted = &counted{Conn: conn, keeps: keeps}
	made.own = made.counted
	made.began = time.Now()
	made.connecting = made.began.Sub(began)
	made.ready = made.began
	if a.config != nil {
		secure := tls.Client(made.counted, a.config)
		if err := secure.Handshake(); err != nil {
			_ = conn.Close()
			return nil, err
		}
		made.ready = time.Now()
		made.state = secure.ConnectionState()
		made.own = secure
	}
	made.handshakeSent, made.handshakeReceived = made.sent.Load(), made.received.Load()
	a.handshakes++
	if made.state.DidResume {
		a.resumed++
	}
	return made, nil
}

// ask is one request over an open connection, and its answer to the last byte.
func (l *line) ask() error {
	if _, err := l.own.Write(l.question); err != nil {
		// A server that refuses the client says why and closes: its reason has come before the reset.
		if _, why := l.own.Read(l.answer); why != nil && kindOf(why) != "closed" {
			return why
		}
		return err
	}
	count, err := l.own.Read(l.answer)
	l.first = time.Now()
	if err != nil {
		return err
	}
	_, err = io.ReadFull(l.own, l.answer[count:])
	return err
}

// hangUp closes a connection and waits until the server has done so too: its CPU time is then complete.
func (l *line) hangUp() {
	if secure, ok := l.own.(*tls.Conn); ok {
		_ = secure.CloseWrite()
	}
	if plain, ok := l.Conn.(*net.TCPConn); ok {
		_ = plain.CloseWrite()
	}
	_, _ = io.Copy(io.Discard, l.counted)
	_ = l.Conn.Close()
}

// judge says whether a connection is like the first one.
func (a *arm) judge(made *line) error {
	now, first := made.state, a.expected
	if a.config == nil || first.Version == 0 {
		return nil
	}
	if now.Version != first.Version || now.CurveID != first.CurveID || now.CipherSuite != first.CipherSuite ||
		now.DidResume != first.DidResume {
		return kit.NewFault("varies", "a connection was negotiated otherwise than the first one")
	}
	return nil
}

// measure sets so many connections up, one after the other, and then sends so many requests over one that stays open.
func (a *arm) measure(count, requests int, addedNs int64) (reply, error) {
	connect, handshake, first := make([]int64, count), []int64{}, make([]int64, count)
	var sent, received int64
	_ = a.kept.SetDeadline(time.Now().Add(time.Duration(a.TimeoutNs)))
	ours, theirs, began := kit.CPU(), kit.CPUOf(a.pid), time.Now()
	for place := range count {
		made, err := a.once(false, addedNs)
		if err != nil {
			return nil, err
		}
		connect[place], first[place] = int64(made.connecting), int64(made.first.Sub(made.began))
		if a.config != nil {
			handshake = append(handshake, int64(made.ready.Sub(made.began)))
		}
		sent, received = sent+made.handshakeSent, received+made.handshakeReceived
	}
	oursThen, theirsThen, middle := kit.CPU(), kit.CPUOf(a.pid), time.Now()
	keptSent, keptReceived := a.kept.sent.Load(), a.kept.received.Load()
	for range requests {
		if err := a.kept.ask(); err != nil {
			return nil, err
		}
	}
	ended := time.Now()
	return reply{
		"connect_ns": connect, "handshake_ns": handshake, "first_byte_ns": first, "wall_ns": int64(ended.Sub(began)),
		"client_cpu_ns": oursThen - ours, "server_cpu_ns": theirsThen - theirs,
		"handshake_sent_bytes": sent, "handshake_received_bytes": received,
		"requests_ns": int64(ended.Sub(middle)), "requests_client_cpu_ns": kit.CPU() - oursThen,
		"requests_server_cpu_ns": kit.CPUOf(a.pid) - theirsThen, "requests_sent_bytes": a.kept.sent.Load() - keptSent,
		"requests_received_bytes": a.kept.received.Load() - keptReceived,
	}, nil
}
