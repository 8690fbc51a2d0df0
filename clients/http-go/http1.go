package main

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"net"
	"net/http/httputil"
	"os"
	"strconv"
	"strings"
	"time"

	"sectax/kit"
)

const (
	// What a connection reads at once, and the longest line of a header.
	bufferSize = 32 << 10
	// Of one response, all lines together.
	mostHeader = 1 << 20
	// 100 Continue, 103 Early Hints: more of them before the answer are no answer.
	mostInterim = 8
	// How long the other end of a new connection has to close it.
	farewell = 50 * time.Millisecond
)

// answer is what came: the status, the body's length and hash, and when its first byte came.
type answer struct {
	status int
	length int64
	digest uint64
	first  time.Time
	// Of the first answer alone.
	protocol string
	tls      *tls.ConnectionState
}

// plainOne speaks HTTP/1.1 over one connection. Its own reader is a third of the cost of net/http's, and starts no
// goroutines between which a request would be handed around.
type plainOne struct {
	of       *arm
	wire     socket
	turn     *turn    // nil where it takes none
	conn     net.Conn // the wire, or TLS over it; nil while there is none
	reader   *bufio.Reader
	deadline time.Time
	last     time.Time // when it was used last
	digest   maphash.Hash
	scratch  []byte
	body     io.Writer // gets the body too, if there is one
}

func newPlainOne(of *arm) *plainOne {
	made := &plainOne{of: of, scratch: make([]byte, bufferSize)}
	if of.loop != nil {
		made.turn = of.loop.seat()
	}
	made.reader = bufio.NewReaderSize(nil, bufferSize)
	made.digest.SetSeed(of.seed)
	return made
}

// connect opens a connection, with its TLS handshake where there is one.
func (p *plainOne) connect() error {
	wire, err := p.dial()
	if err != nil {
		return err
	}
	p.wire, p.conn, p.deadline = wire, wire, time.Time{}
	p.extend(time.Now())
	if p.of.tls != nil {
		secured := tls.Client(wire, p.of.tls)
		if err := secured.Handshake(); err != nil {
			p.drop()
			return err
		}
		p.conn = secured
	}
	p.reader.Reset(p.conn)
	return nil
}

func (p *plainOne) dial() (socket, error) {
	if p.of.hasWires() {
		return connectWire(p.of, p.turn)
	}
	made, err := p.of.dial()
	return &counted{made}, err
}

// extend sets the deadline of what begins now. It costs a call of the runtime, so it is set a little too far, and not
// every time.
func (p *plainOne) extend(now time.Time) {
	if limit := p.of.wanted.timeout(); p.deadline.Before(now.Add(limit)) {
		p.deadline = now.Add(limit + limit/8)
		_ = p.conn.SetDeadline(p.deadline)
	}
}

func (p *plainOne) ready(now time.Time) error {
	// Servers close what was not used for a while, and no request is to find out.
	if p.conn != nil && now.Sub(p.last) > stale {
		p.drop()
	}
	if p.conn == nil && p.of.wanted.Kept {
		return p.connect()
	}
	return nil
}

func (p *plainOne) listen(to io.Writer) { p.body = to }

func (p *plainOne) drop() {
	if p.conn != nil {
		_ = p.conn.Close()
		p.conn = nil
	}
}

// request is one request with its whole answer.
func (p *plainOne) request(began time.Time) (answer, time.Time, error) {
	if p.conn == nil {
		if err := p.connect(); err != nil {
			return answer{}, began, err
		}
	} else if p.reader.Buffered() > 0 {
		p.drop()
		return answer{}, began, kit.NewFault("long-body", "more bytes came than the answer before was to have")
	}
	p.extend(began)
	_, err := p.conn.Write(p.of.raw)
	if err != nil {
		// What the server sent before it closed says why, as an alert of TLS does.
		if _, told := p.reader.Peek(1); told != nil && kit.KindOf(told) != "closed" {
			err = told
		}
	}
	var seen answer
	keeps := false
	if err == nil {
		seen, keeps, err = p.read()
	}
	ended := time.Now()
	p.last = ended
	if err != nil {
		p.drop()
	} else if !p.of.wanted.Kept {
		p.leave()
	} else if !keeps {
		p.drop() // as it said; the next request begins with a new connection
	}
	return seen, ended, err
}

// leave ends a connection of one request. The server was asked to close it and mostly does; the port of whoever closes
// first is lost for a minute, and there are 28,000 of them.
func (p *plainOne) leave() {
	closed := false
	if !p.of.closesFirst.Load() {
		_ = p.conn.SetReadDeadline(time.Now().Add(farewell))
		_, err := p.reader.ReadByte()
		closed = errors.Is(err, io.EOF)
	}
	if !closed {
		p.of.closesFirst.Store(true)
		_ = p.wire.SetLinger(0)
	}
	p.drop()
}

// read takes one answer from the connection, and says whether that stays open.
func (p *plainOne) read() (answer, bool, error) {
	seen := answer{}
	for range mostInterim {
		head, err := p.readHead(&seen)
		if err != nil {
			return seen, false, err
		}
		if seen.status >= 200 {
			toTheEnd, err := p.readBody(&seen, head)
			return seen, head.keeps && !toTheEnd, err
		}
	}
	return seen, false, kit.NewFault("malformed", "interim answers (1xx) without end")
}

// head is what the header says of the body and of the connection.
type head struct {
	length  int64 // -1 where it does not say
	chunked bool
	keeps   bool
}

func (p *plainOne) readHead(seen *answer) (head, error) {
	said := head{length: -1}
	line, err := p.readLine()
	if seen.first.IsZero() {
		seen.first = time.Now()
	}
	if err != nil {
		if errors.Is(err, io.EOF) && len(line) > 0 {
			return said, kit.NewFault("closed", "the connection was closed in the middle of the header")
		}
		return said, err
	}
	old := bytes.HasPrefix(line, []byte("HTTP/1.0 "))
	if len(line) < 12 || !(old || bytes.HasPrefix(line, []byte("HTTP/1.1 "))) || (len(line) > 12 && line[12] != ' ') {
		return said, kit.NewFault("malformed", fmt.Sprintf("the answer does not begin as HTTP/1.1: %.40q", line))
	}
	seen.status = digits(line[9:12])
	if seen.status < 100 {
		return said, kit.NewFault("malformed", fmt.Sprintf("the answer has no status: %.40q", line))
	}
	said.keeps = !old
	if p.body != nil {
		seen.protocol = string(line[:8])
		if secured, ok := p.conn.(*tls.Conn); ok {
			state := secured.ConnectionState()
			seen.tls = &state
		}
	}
	total := len(line)
	for {
		line, err := p.readLine()
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = kit.NewFault("closed", "the connection was closed in the middle of the header")
			}
			return said, err
		}
		if len(line) == 0 {
			return said, nil
		}
		if total += len(line) + 2; total > mostHeader {
			return said, kit.NewFault("header-flood", fmt.Sprintf("the header of the answer is longer than %d bytes", mostHeader))
		}
		if err := said.take(line); err != nil {
			return said, err
		}
	}
}

func (p *plainOne) readLine() ([]byte, error) {
	line, err := p.reader.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		return nil, kit.NewFault("header-flood", fmt.Sprintf("a line of the header is longer than %d bytes", bufferSize))
	}
	if err != nil {
		return line, err
	}
	line = line[:len(line)-1]
	return bytes.TrimSuffix(line, []byte("\r")), nil
}

// take reads one line of the header: of all there are, three say where the answer ends.
func (h *head) take(line []byte) error {
	name, value, found := bytes.Cut(line, []byte(":"))
	if !found || len(name) == 0 || bytes.ContainsAny(name, " \t") {
		return kit.NewFault("malformed", "a line of the header has no name")
	}
	switch len(name) {
	case len("Connection"):
		if bytes.EqualFold(name, []byte("Connection")) {
			text := strings.ToLower(string(value))
			h.keeps = (h.keeps && !strings.Contains(text, "close")) || strings.Contains(text, "keep-alive")
		}
	case len("Content-Length"):
		if bytes.EqualFold(name, []byte("Content-Length")) {
			length, err := strconv.ParseUint(string(bytes.TrimSpace(value)), 10, 63)
			if err != nil || (h.length >= 0 && h.length != int64(length)) {
				return kit.NewFault("malformed", "the header has no readable Content-Length, or two different ones")
			}
			h.length = int64(length)
		}
	case len("Transfer-Encoding"):
		if bytes.EqualFold(name, []byte("Transfer-Encoding")) {
			if !bytes.EqualFold(bytes.TrimSpace(value), []byte("chunked")) {
				return kit.NewFault("malformed", "the answer has a Transfer-Encoding other than chunked")
			}
			h.chunked = true
		}
	}
	return nil
}

// readBody also says whether the body ended with the connection.
func (p *plainOne) readBody(seen *answer, said head) (toTheEnd bool, err error) {
	if said.chunked && said.length >= 0 {
		return false, kit.NewFault("malformed", "the answer has both a Content-Length and chunks")
	}
	p.digest.Reset()
	switch {
	case p.of.wanted.Method == "HEAD", seen.status == 204, seen.status == 304:
	case said.chunked:
		if seen.length, err = p.consume(httputil.NewChunkedReader(p.reader), -1); err == nil {
			err = p.readTrailer()
		} else if strings.Contains(err.Error(), "chunk") {
			err = kit.NewFault("malformed", err.Error())
		}
	case said.length > p.of.wanted.MostBody:
		err = p.of.tooLong()
	case said.length > 0:
		seen.length, err = p.consume(p.reader, said.length)
	case said.length < 0:
		toTheEnd = true
		seen.length, err = p.consume(p.reader, -1)
	}
	seen.digest = p.digest.Sum64()
	return toTheEnd, err
}

// consume reads a body of so many bytes, or of -1 to its end, and hashes it.
func (p *plainOne) consume(from io.Reader, length int64) (int64, error) {
	total := int64(0)
	for length < 0 || total < length {
		into := p.scratch
		if left := length - total; length >= 0 && left < int64(len(into)) {
			into = into[:left]
		}
		read, err := from.Read(into)
		total += int64(read)
		_, _ = p.digest.Write(into[:read])
		if p.body != nil {
			_, _ = p.body.Write(into[:read])
		}
		if total > p.of.wanted.MostBody {
			return total, p.of.tooLong()
		}
		if err == io.EOF && length < 0 {
			return total, nil
		}
		if err == io.EOF {
			return total, kit.NewFault("short-body", fmt.Sprintf("the body ended after %d of %d bytes", total, length))
		}
		if err != nil {
			return total, err
		}
		// A trickle of bytes must not go on for ever.
		if time.Now().After(p.deadline) {
			return total, os.ErrDeadlineExceeded
		}
	}
	return total, nil
}

func (p *plainOne) readTrailer() error {
	for total := 0; total < mostHeader; {
		line, err := p.readLine()
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		if err != nil || len(line) == 0 {
			return err
		}
		total += len(line) + 2
	}
	return kit.NewFault("header-flood", fmt.Sprintf("the trailer of the answer is longer than %d bytes", mostHeader))
}

func digits(text []byte) int {
	number := 0
	for _, one := range text {
		if one < '0' || one > '9' {
			return -1
		}
		number = number*10 + int(one-'0')
	}
	return number
}
