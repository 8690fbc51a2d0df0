package main

import (
	"bufio"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	awsmeta "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"sectax/kit"
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

// measure runs the first of what was staged, on as many goroutines as the treatment says, from when this process's own
// clock shows start; at once where that is 0.
func (c *client) measure(count, ramp int, start int64) (kit.Reply, error) {
	if len(c.staged) < count {
		return nil, kit.NewFault("other", strconv.Itoa(len(c.staged))+" operations are staged")
	}
	items := c.staged[:count]
	c.staged = c.staged[count:]
	batch := &batch{of: c, items: items, took: make([]times, count), failed: make([]error, count)}
	load := kit.Load{Workers: min(c.wanted.Concurrency, count), Do: batch.do}
	schedule := kit.Scheduled{Dropped: make([]bool, count)}
	before := c.attempts.Load()
	resetPeak()
	kit.WaitFor(start)
	cpu, started, began := kit.CPU(), kit.Now(), time.Now()
	if c.wanted.Rate > 0 {
		schedule = load.OnSchedule(count, c.wanted.Rate)
	} else if load.Workers == 1 {
		for place := 0; place < count && batch.do(0, place, time.Time{}); place++ {
		}
	} else {
		load.InParallel(count)
	}
	wall, cpu := time.Since(began), kit.CPU()-cpu
	for _, err := range batch.failed {
		if err != nil {
			return nil, err
		}
	}
	c.keep(items, schedule.Dropped)
	sent, spans, buckets := []times{}, []kit.Span{}, []int{}
	for place, one := range batch.took {
		if !schedule.Dropped[place] {
			sent, spans = append(sent, one), append(spans, one.Span)
			buckets = append(buckets, slices.Index(c.wanted.Buckets, items[place].bucket))
		}
	}
	first, end := min(ramp, len(sent)), max(min(ramp, len(sent)), len(sent)-ramp)
	elapsed, firstByte, check := []int64{}, []int64{}, []int64{}
	for _, one := range sent[first:end] {
		elapsed = append(elapsed, int64(one.Elapsed))
		if c.wanted.Operation == "get" {
			firstByte = append(firstByte, int64(one.firstByte))
			check = append(check, int64(one.check))
		}
	}
	return kit.Reply{
		"elapsed_ns": elapsed, "first_byte_ns": firstByte, "check_ns": check, "wall_ns": int64(wall), "cpu_ns": cpu, "started_ns": started,
		"peak_bytes": peak(), "attempts": c.attempts.Load() - before, "late": schedule.Late,
		"dropped": count - len(sent), "sending_ns": int64(schedule.Sending),
		"in_flight": kit.InFlight(spans, spans[first:end]), "buckets": buckets[first:end],
	}, nil
}

// batch is what became of every operation, by its place.
type batch struct {
	of     *client
	items  []*item
	took   []times
	failed []error
}

// do is one timed operation; its times count from when it was due.
func (b *batch) do(_, place int, due time.Time) bool {
	var waited time.Duration
	if !due.IsZero() {
		waited = time.Since(due)
	}
	took, err := b.of.operate(b.items[place])
	if !due.IsZero() {
		took.Began, took.Elapsed, took.firstByte = due, took.Elapsed+waited, took.firstByte+waited
	}
	b.took[place], b.failed[place] = took, err
	return err == nil
}

// keep remembers what is on the server after a batch: what was put, and what a schedule meant to delete and dropped.
func (c *client) keep(items []*item, dropped []bool) {
	for place, each := range items {
		each.body = nil
		wasPut := c.wanted.Operation == "put" && !dropped[place]
		stayed := c.wanted.Operation == "delete" && dropped[place]
		if wasPut || stayed {
			c.stored = append(c.stored, each)
		}
	}
}

// operate is one timed operation.
func (c *client) operate(on *item) (times, error) {
	if c.wanted.Operation == "get" {
		began := time.Now()
		took, err := c.get(on)
		took.Began = began
		done := time.Now()
		took.Elapsed += kit.Spin(done, c.wanted.AddedNs).Sub(done)
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
	ended := kit.Spin(time.Now(), c.wanted.AddedNs)
	return times{Span: kit.Span{Began: began, Elapsed: ended.Sub(began)}}, err
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

func (c *client) close() (kit.Reply, error) {
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
	return kit.Reply{"attempts": c.attempts.Load()}, nil
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
