package main

import (
	"fmt"
	"net"
	"sync"
	"time"

	"sectax/kit"
)

// What a direction reads at once, and how many of these may be on their way.
const (
	piece        = 64 << 10
	mostOnTheWay = 1024
)

// delay is a line that is slow: it passes bytes on after a while, each way, to a listener of the run on loopback.
type delay struct{ listeners map[string]net.Listener }

func newDelay() end { return &delay{map[string]net.Listener{}} }

func (d *delay) handle(asked request) (reply, error) {
	switch asked.Command {
	case "listen":
		made, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		d.listeners[asked.Arm] = made
		go passOn(made, fmt.Sprintf("127.0.0.1:%d", asked.Port), time.Duration(asked.DelayNs/2))
		return reply{"port": made.Addr().(*net.TCPAddr).Port}, nil
	case "close":
		if on := d.listeners[asked.Arm]; on != nil {
			delete(d.listeners, asked.Arm)
			return reply{}, on.Close()
		}
		return reply{}, nil
	}
	return nil, kit.NewFault("other", "there is no command "+asked.Command)
}

func passOn(from net.Listener, address string, after time.Duration) {
	for {
		near, err := from.Accept()
		if err != nil {
			return
		}
		far, err := net.Dial("tcp", address)
		if err != nil {
			_ = near.Close()
			continue
		}
		go bothWays(near, far, after)
	}
}

func bothWays(near, far net.Conn, after time.Duration) {
	var ways sync.WaitGroup
	ways.Go(func() { oneWay(near, far, after) })
	ways.Go(func() { oneWay(far, near, after) })
	ways.Wait()
	_ = near.Close()
	_ = far.Close()
}

// parcel is what was read at once, and when it is due; no data says that nothing more comes.
type parcel struct {
	data []byte
	due  time.Time
}

func oneWay(from, to net.Conn, after time.Duration) {
	way := make(chan parcel, mostOnTheWay)
	go func() {
		defer close(way)
		for {
			data := make([]byte, piece)
			count, err := from.Read(data)
			way <- parcel{data[:count], time.Now().Add(after)}
			if err != nil {
				return
			}
		}
	}()
	for one := range way {
		time.Sleep(time.Until(one.due))
		if _, err := to.Write(one.data); err != nil {
			break
		}
	}
	if plain, ok := to.(*net.TCPConn); ok {
		_ = plain.CloseWrite()
	}
	for range way { // the reader must not wait for somebody to take what nobody takes
	}
}
