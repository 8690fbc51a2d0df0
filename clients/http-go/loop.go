package main

import (
	"iter"
	"syscall"
	"time"
	"unsafe"
)

const (
	// How often a loop looks for requests that take too long.
	looking = 20 * time.Millisecond
	edge    = 1 << 31 // EPOLLET
)

// loop lets the askers of an arm take turns in one thread: each is a coroutine that goes on when its connection has
// something for it. Without it every answer wakes a goroutine somewhere, and a good part of the time goes into that.
type loop struct {
	epoll int
	turns []*turn
}

// turn is the place of one asker in a loop.
type turn struct {
	loop     *loop
	place    int
	pass     func()             // gives the turn up until something came; nil outside of a run
	resume   func() (int, bool) // gives it back
	deadline time.Time          // of what it waits for
	late     bool               // nothing came until then
}

func newLoop() (*loop, error) {
	epoll, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	return &loop{epoll: epoll}, err
}

// seat adds a turn.
func (l *loop) seat() *turn {
	made := &turn{loop: l, place: len(l.turns)}
	l.turns = append(l.turns, made)
	return made
}

// add has a connection wake its asker; it is forgotten when it is closed.
func (l *loop) add(fd int, of *turn) error {
	event := syscall.EpollEvent{Events: syscall.EPOLLIN | syscall.EPOLLOUT | edge, Fd: int32(of.place)}
	return syscall.EpollCtl(l.epoll, syscall.EPOLL_CTL_ADD, fd, &event)
}

// run has work done at every turn until all of them have ended.
func (l *loop) run(work func(worker int)) {
	alive := 0
	for _, one := range l.turns {
		one.resume, _ = iter.Pull(func(yield func(int) bool) {
			one.pass = func() { yield(0) }
			work(one.place)
			one.pass = nil
		})
	}
	step := func(one *turn) {
		if _, goesOn := one.resume(); !goesOn {
			alive--
		}
	}
	for _, one := range l.turns {
		alive++
		step(one)
	}
	events := make([]syscall.EpollEvent, len(l.turns))
	looked := time.Now()
	for alive > 0 {
		for _, event := range events[:l.wait(events)] {
			if one := l.turns[event.Fd]; one.pass != nil {
				step(one)
			}
		}
		if now := time.Now(); now.Sub(looked) > looking {
			looked = now
			for _, one := range l.turns {
				if one.pass != nil && now.After(one.deadline) {
					one.late = true
					step(one)
				}
			}
		}
	}
}

// wait gives the number of connections that have something, 0 after a while. It is as raw as what they do.
func (l *loop) wait(events []syscall.EpollEvent) int {
	place, timeout := unsafe.Pointer(unsafe.SliceData(events)), uintptr(looking/time.Millisecond)
	count, _, failed := syscall.RawSyscall6(syscall.SYS_EPOLL_PWAIT, uintptr(l.epoll), uintptr(place), uintptr(len(events)), timeout, 0, 0)
	if failed == 0 {
		return int(count)
	}
	if failed != syscall.EINTR {
		panic(failed) // the descriptor is our own and open
	}
	return 0
}

func (l *loop) close() { _ = syscall.Close(l.epoll) }
