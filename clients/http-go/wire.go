package main

import (
	"io"
	"net"
	"net/netip"
	"os"
	"strconv"
	"syscall"
	"time"
	"unsafe"

	"sectax/kit"
)

// socket is what an asker needs of a connection.
type socket interface {
	net.Conn
	SetLinger(seconds int) error
}

// counted is a connection of package net.
type counted struct{ *kit.Counted }

func (c *counted) SetLinger(seconds int) error {
	if tcp, ok := c.Conn.(*net.TCPConn); ok {
		return tcp.SetLinger(seconds)
	}
	return nil
}

// wire is a connection by calls of the kernel alone: three for a request, and nobody to hand it to. One of package net
// asks twice for what has not come yet, and is woken by the scheduler, whose other threads look after it.
type wire struct {
	fd       int
	of       *arm
	turn     *turn // in a loop; it waits in the kernel where nobody takes turns
	deadline time.Time
	asked    bool // something was sent, and its answer cannot be there yet
}

// connectWire opens one to the address of an arm.
func connectWire(of *arm, turn *turn) (*wire, error) {
	at, err := netip.ParseAddrPort(of.address)
	if err != nil {
		return nil, err
	}
	family, to := syscall.AF_INET, syscall.Sockaddr(&syscall.SockaddrInet4{Port: int(at.Port()), Addr: at.Addr().As4()})
	if !at.Addr().Is4() {
		family, to = syscall.AF_INET6, &syscall.SockaddrInet6{Port: int(at.Port()), ZoneId: zone(at.Addr()), Addr: at.Addr().As16()}
	}
	fd, err := syscall.Socket(family, syscall.SOCK_STREAM|syscall.SOCK_NONBLOCK|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	made := &wire{fd: fd, of: of, turn: turn, deadline: time.Now().Add(of.wanted.timeout())}
	if err := made.connect(to); err != nil {
		_ = made.Close()
		return nil, err
	}
	of.connections.Add(1)
	return made, nil
}

func zone(at netip.Addr) uint32 {
	if found, err := net.InterfaceByName(at.Zone()); err == nil {
		return uint32(found.Index)
	}
	number, _ := strconv.ParseUint(at.Zone(), 10, 32)
	return uint32(number)
}

func (w *wire) connect(to syscall.Sockaddr) error {
	if err := syscall.SetsockoptInt(w.fd, syscall.IPPROTO_TCP, syscall.TCP_NODELAY, 1); err != nil {
		return err
	}
	registered := w.turn == nil
	for {
		switch err := syscall.Connect(w.fd, to); err {
		case syscall.EINTR:
			continue
		case syscall.EINPROGRESS, syscall.EALREADY:
		case nil, syscall.EISCONN:
			if registered {
				return nil
			}
			return w.turn.loop.add(w.fd, w.turn)
		default:
			return err
		}
		if !registered {
			if err := w.turn.loop.add(w.fd, w.turn); err != nil {
				return err
			}
			registered = true
		}
		if err := w.wait(pollOut); err != nil {
			return err
		}
	}
}

func (w *wire) Read(into []byte) (int, error) {
	if w.asked {
		w.asked = false
		if err := w.wait(pollIn); err != nil {
			return 0, err
		}
	}
	for {
		count, err := raw(syscall.SYS_READ, w.fd, into)
		switch {
		case err == syscall.EINTR:
		case err == syscall.EAGAIN:
			if err := w.wait(pollIn); err != nil {
				return 0, err
			}
		case err != nil:
			return 0, err
		case count == 0 && len(into) > 0:
			return 0, io.EOF
		default:
			w.of.received.Add(int64(count))
			return count, nil
		}
	}
}

func (w *wire) Write(data []byte) (int, error) {
	total := 0
	for total < len(data) {
		count, err := raw(syscall.SYS_WRITE, w.fd, data[total:])
		switch {
		case err == syscall.EINTR:
		case err == syscall.EAGAIN:
			if err := w.wait(pollOut); err != nil {
				return total, err
			}
		case err != nil:
			return total, err
		default:
			total += count
			w.of.sent.Add(int64(count))
		}
	}
	w.asked = true
	return total, nil
}

// raw is a call that Go's scheduler does not hear of: it would give the processor to another thread while this one
// waits, and has a thread that looks for such waiting every 20 µs. Nothing else is to run in the meantime.
func raw(call uintptr, fd int, data []byte) (int, error) {
	done, _, failed := syscall.RawSyscall(call, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(data))), uintptr(len(data)))
	if failed != 0 {
		return 0, failed
	}
	return int(done), nil
}

const pollIn, pollOut = 1, 4

// wait ends when there may be something to read, or room to write, and fails when that takes too long.
func (w *wire) wait(events int16) error {
	if w.turn != nil && w.turn.pass != nil {
		w.turn.deadline = w.deadline
		w.turn.pass()
		if w.turn.late {
			w.turn.late = false
			return os.ErrDeadlineExceeded
		}
		return nil
	}
	for {
		left := time.Until(w.deadline)
		if left <= 0 {
			return os.ErrDeadlineExceeded
		}
		one := struct {
			fd           int32
			events, seen int16
		}{fd: int32(w.fd), events: events}
		limit := syscall.NsecToTimespec(int64(left))
		ready, _, failed := syscall.RawSyscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(&one)), 1, uintptr(unsafe.Pointer(&limit)), 0, 0, 0)
		if failed != 0 && failed != syscall.EINTR {
			return failed
		}
		if failed == 0 && ready > 0 {
			return nil
		}
	}
}

func (w *wire) Close() error { return syscall.Close(w.fd) }

func (w *wire) SetLinger(seconds int) error {
	return syscall.SetsockoptLinger(w.fd, syscall.SOL_SOCKET, syscall.SO_LINGER, &syscall.Linger{Onoff: 1, Linger: int32(seconds)})
}

func (w *wire) SetDeadline(at time.Time) error {
	w.deadline = at
	return nil
}

func (w *wire) SetReadDeadline(at time.Time) error { return w.SetDeadline(at) }

// SetWriteDeadline is for crypto/tls, which says farewell with one of its own: it is over by then.
func (w *wire) SetWriteDeadline(time.Time) error { return nil }

func (w *wire) LocalAddr() net.Addr { return nil }

func (w *wire) RemoteAddr() net.Addr { return nil }
