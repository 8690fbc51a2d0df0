package main

import (
	"bufio"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	awsmeta "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

const (
	// An operation of a schedule that begins later than this is late.
	lateness = time.Millisecond
	// One that finds no free connection for so long is dropped.
	patience = 100 * time.Millisecond
)

// stage makes ready what count operations more need.
func (c *client) stage(count int) error {
	switch c.wanted.Operation {
	case "get", "head":
		for range count {
			c.staged = append(c.staged, c.objects[c.turn%len(c.objects)])
			c.turn++
		}
		return nil
	}
	items := make([]*item, count)
	for place := range items {
		items[place] = c.nextItem()
	}
	c.fill(items)
	c.staged = append(c.staged, items...)
	if c.wanted.Operation == "delete" {
		for _, each := range items {
			if err := c.put(each); err != nil {
				return err
			}
			each.body = nil
		}
		c.base = nil
	}
	return nil
}

// measure runs the first of what was staged, on as many goroutines as the treatment says.
func (c *client) measure(count, ramp int) (reply, error) {
	if len(c.staged) < count {
		return nil, wrong{"other", strconv.Itoa(len(c.staged)) + " operations are staged"}
	}
	items := c.staged[:count]
	c.staged = c.staged[count:]
	batch := newBatch(count)
	before := c.attempts.Load()
	resetPeak()
	cpu, began := cpuNs(), time.Now()
	workers := min(c.wanted.Concurrency, count)
	switch {
	case c.wanted.Rate > 0:
		c.onSchedule(workers, items, batch, began)
	case workers == 1:
		for place, each := range items {
			if batch.took[place], batch.failed[place] = c.operate(each); batch.failed[place] != nil {
				break
			}
		}
	default:
		c.inParallel(workers, items, batch)
	}
	wall, cpu := time.Since(began), cpuNs()-cpu
	for _, err := range batch.failed {
		if err != nil {
			return nil, err
		}
	}
	c.keep(items, batch)
	var sent []times
	buckets := []int{}
	for place, each := range batch.took {
		if !batch.dropped[place] {
			sent = append(sent, each)
			buckets = append(buckets, slices.Index(c.wanted.Buckets, items[place].bucket))
		}
	}
	first, end := min(ramp, len(sent)), max(min(ramp, len(sent)), len(sent)-ramp)
	counted := sent[first:end]
	elapsed, firstByte, check := []int64{}, []int64{}, []int64{}
	for _, each := range counted {
		elapsed = append(elapsed, int64(each.elapsed))
		if c.wanted.Operation == "get" {
			firstByte = append(firstByte, int64(each.firstByte))
			check = append(check, int64(each.check))
		}
	}
	return reply{
		"elapsed_ns": elapsed, "first_byte_ns": firstByte, "check_ns": check, "wall_ns": int64(wall), "cpu_ns": cpu,
		"peak_bytes": peak(), "attempts": c.attempts.Load() - before, "late": batch.late.Load(),
		"dropped": int64(count - len(sent)), "sending_ns": int64(batch.sending), "in_flight": inFlight(sent, counted),
		"buckets": buckets[first:end],
	}, nil
}

// inFlight is how many operations were under way on average from the first one that counts to the end of the last.
func inFlight(operations, counted []times) float64 {
	if len(counted) == 0 {
		return 0
	}
	begin, end := counted[0].began, counted[0].began.Add(counted[0].elapsed)
	for _, one := range counted {
		if one.began.Before(begin) {
			begin = one.began
		}
		if ended := one.began.Add(one.elapsed); ended.After(end) {
			end = ended
		}
	}
	var shared time.Duration
	for _, one := range operations {
		shared += max(0, min(one.began.Add(one.elapsed).Sub(begin), end.Sub(begin))-max(0, one.began.Sub(begin)))
	}
	return float64(shared) / float64(max(1, end.Sub(begin)))
}

// batch is what became of every operation, by its place.
type batch struct {
	took    []times
	failed  []error
	dropped []bool
	late    atomic.Int64
	sending time.Duration // in which the schedule was sent; 0 in a closed loop
}

func newBatch(count int) *batch {
	return &batch{took: make([]times, count), failed: make([]error, count), dropped: make([]bool, count)}
}

// keep remembers what is on the server after a batch: what was put, and what a schedule meant to delete and dropped.
func (c *client) keep(items []*item, seen *batch) {
	for place, each := range items {
		each.body = nil
		wasPut := c.wanted.Operation == "put" && !seen.dropped[place]
		stayed := c.wanted.Operation == "delete" && seen.dropped[place]
		if wasPut || stayed {
			c.stored = append(c.stored, each)
		}
	}
}

// onSchedule begins an operation at every tick, whether or not the ones before have ended, and times it from then. One
// that finds no free connection is dropped after a while.
func (c *client) onSchedule(workers int, items []*item, seen *batch, began time.Time) {
	interval := time.Duration(float64(time.Second) / c.wanted.Rate)
	type turn struct {
		place int
		due   time.Time
	}
	turns, finish := crew(workers, func(next turn) {
		waited := time.Since(next.due)
		if waited > lateness {
			seen.late.Add(1)
		}
		took, err := c.operate(items[next.place])
		took.began, took.elapsed, took.firstByte = next.due, took.elapsed+waited, took.firstByte+waited
		seen.took[next.place], seen.failed[next.place] = took, err
	})
	for place := range items {
		due := began.Add(time.Duration(place) * interval)
		time.Sleep(time.Until(due))
		select {
		case turns <- turn{place, due}:
		default:
			select {
			case turns <- turn{place, due}:
			case <-time.After(time.Until(due.Add(patience))):
				seen.dropped[place] = true
			}
		}
		seen.sending = time.Since(began) + interval
	}
	finish()
}

func (c *client) inParallel(workers int, items []*item, seen *batch) {
	places, finish := crew(workers, func(place int) {
		seen.took[place], seen.failed[place] = c.operate(items[place])
	})
	for place := range items {
		places <- place
	}
	finish()
}

// crew starts so many goroutines, and each works on whatever is sent next. finish waits until all of it is done.
func crew[T any](size int, work func(T)) (sent chan<- T, finish func()) {
	turns := make(chan T)
	var group sync.WaitGroup
	for range size {
		group.Add(1)
		go func() {
			defer group.Done()
			for next := range turns {
				work(next)
			}
		}()
	}
	return turns, func() {
		close(turns)
		group.Wait()
	}
}

// operate is one timed operation.
func (c *client) operate(on *item) (times, error) {
	if c.wanted.Operation == "get" {
		began := time.Now()
		took, err := c.get(on)
		took.began = began
		took.elapsed += spin(c.wanted.AddedNs)
		return took, err
	}
	var err error
	began := time.Now()
	switch c.wanted.Operation {
	case "put":
		err = c.put(on)
	case "head":
		_, err = c.look(on)
	default:
		err = c.remove(on)
	}
	return times{began: began, elapsed: time.Since(began) + spin(c.wanted.AddedNs)}, err
}

// spin is the known cost of a positive control.
func spin(ns int64) time.Duration {
	if ns == 0 {
		return 0
	}
	began := time.Now()
	for time.Since(began) < time.Duration(ns) {
	}
	return time.Since(began)
}

// clear removes what was stored since it was called last. The answers to a multipart upload do not all name the
// encryption, so what was stored that way is looked at first.
func (c *client) clear() error {
	if c.wanted.PartBytes > 0 {
		for _, each := range c.stored {
			if _, err := c.look(each); err != nil {
				return err
			}
		}
	}
	err := c.removeAll(c.stored)
	c.stored = nil
	return err
}

func (c *client) close() (reply, error) {
	if err := c.clear(); err != nil {
		return nil, err
	}
	left := c.extra
	if !c.wanted.Keep {
		left = append(left, c.objects...)
	}
	if c.wanted.Operation == "delete" {
		left = append(left, c.staged...)
	}
	if err := c.removeAll(left); err != nil {
		return nil, err
	}
	return reply{"attempts": c.attempts.Load()}, nil
}

func cpuNs() int64 {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	return used.Utime.Nano() + used.Stime.Nano()
}

func resetPeak() {
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
}

func peak() int64 {
	file, err := os.Open("/proc/self/status")
	if err != nil {
		return 0
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if rest, found := strings.CutPrefix(lines.Text(), "VmHWM:"); found {
			kib, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return kib << 10
		}
	}
	return 0
}

func awsmiddleware(metadata middleware.Metadata) (*smithyhttp.Response, bool) {
	raw, ok := awsmeta.GetRawResponse(metadata).(*smithyhttp.Response)
	return raw, ok
}
