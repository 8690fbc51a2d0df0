package main

import (
	"crypto/tls"
	"io"
	"net"
	"sync"
	"time"

	"sectax/kit"
)

// server has a listener for every arm, on loopback alone.
type server struct {
	mutex     sync.Mutex
	listeners map[string]*listener
}

func newServer() end { return &server{listeners: map[string]*listener{}} }

// listener is the server's side of an arm, and what it saw of it.
type listener struct {
	settings
	net.Listener
	config    *tls.Config
	mutex     sync.Mutex
	whole     int64 // connections that came to an end as they should
	resumed   int64
	last      reply
	different bool // two connections were not alike
	failed    error
}

func (s *server) handle(asked request) (reply, error) {
	switch asked.Command {
	case "listen":
		return s.listen(asked)
	case "tally":
		on := s.listeners[asked.Arm]
		if on == nil {
			return nil, kit.NewFault("other", "tally before listen")
		}
		return on.tally(), nil
	case "close":
		if on := s.listeners[asked.Arm]; on != nil {
			delete(s.listeners, asked.Arm)
			return reply{}, on.Listener.Close()
		}
		return reply{}, nil
	}
	return nil, kit.NewFault("other", "there is no command "+asked.Command)
}

func (s *server) listen(asked request) (reply, error) {
	made := &listener{settings: asked.settings, last: reply{}}
	var err error
	if made.config, err = asked.config(); err != nil {
		return nil, err
	}
	if made.config != nil && asked.Roots != "" {
		if made.config.ClientCAs, err = asked.pool(); err != nil {
			return nil, err
		}
		made.config.ClientAuth = tls.RequireAndVerifyClientCert
	}
	if made.Listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return nil, err
	}
	s.listeners[asked.Arm] = made
	go made.accept()
	return reply{"port": made.Addr().(*net.TCPAddr).Port}, nil
}

func (l *listener) accept() {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		go l.serve(conn)
	}
}

// serve answers requests until the client closes.
func (l *listener) serve(conn net.Conn) {
	defer conn.Close()
	own := net.Conn(conn)
	if l.config != nil {
		_ = conn.SetDeadline(time.Now().Add(time.Duration(l.TimeoutNs)))
		secure := tls.Server(conn, l.config)
		if err := secure.Handshake(); err != nil {
			l.note(func() { l.failed = err })
			return
		}
		state := secure.ConnectionState()
		l.note(func() { l.saw(state) })
		_ = conn.SetDeadline(time.Time{})
		own = secure
	} else {
		l.note(func() { l.whole++ })
	}
	question, answer := make([]byte, l.RequestBytes), make([]byte, l.AnswerBytes)
	for {
		if _, err := io.ReadFull(own, question); err != nil {
			return
		}
		if _, err := own.Write(answer); err != nil {
			return
		}
	}
}

func (l *listener) note(what func()) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	what()
}

// saw takes down a connection that has been set up. Two that are alike but for being resumed are the usual case.
func (l *listener) saw(state tls.ConnectionState) {
	l.whole++
	if state.DidResume {
		l.resumed++
	}
	now := seen(state)
	before := l.last
	l.different = l.different || (before["protocol"] != nil && (before["protocol"] != now["protocol"] ||
		before["group"] != now["group"] || before["cipher"] != now["cipher"]))
	l.last = now
}

func (l *listener) tally() reply {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	answer := reply{"handshakes": l.whole, "resumed": l.resumed, "alike": !l.different, "seen": l.last}
	if l.failed != nil {
		answer["failed"] = l.failed.Error()
	}
	return answer
}
