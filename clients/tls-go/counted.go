package main

import (
	"net"
	"sync/atomic"
)

// Of each direction so many bytes of a first connection are kept, for somebody else to read.
const mostKept = 64 << 10

// counted is a connection that counts what passes, and keeps the beginning where it is to.
type counted struct {
	net.Conn
	sent, received atomic.Int64
	keeps          bool
	wrote, read    []byte
}

func (c *counted) Write(data []byte) (int, error) {
	count, err := c.Conn.Write(data)
	c.sent.Add(int64(count))
	if c.keeps && len(c.wrote) < mostKept {
		c.wrote = append(c.wrote, data[:count]...)
	}
	return count, err
}

func (c *counted) Read(into []byte) (int, error) {
	count, err := c.Conn.Read(into)
	c.received.Add(int64(count))
	if c.keeps && len(c.read) < mostKept {
		c.read = append(c.read, into[:count]...)
	}
	return count, err
}
