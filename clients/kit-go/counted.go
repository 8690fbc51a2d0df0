package kit

import (
	"net"
	"sync/atomic"
)

// Counted is a connection that counts what passes.
type Counted struct {
	net.Conn
	Sent, Received *atomic.Int64
}

func (c *Counted) Write(data []byte) (int, error) {
	wrote, err := c.Conn.Write(data)
	c.Sent.Add(int64(wrote))
	return wrote, err
}

func (c *Counted) Read(into []byte) (int, error) {
	read, err := c.Conn.Read(into)
	c.Received.Add(int64(read))
	return read, err
}
