package main

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	awsmeta "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// stage makes ready what count operations need.
func (c *client) stage(count int) error {
	c.staged = nil
	switch c.wanted.Operation {
	case "get", "head":
		for turn := range count {
			c.staged = append(c.staged, c.objects[turn%len(c.objects)])
		}
		return nil
	}
	for range count {
		c.staged = append(c.staged, c.nextItem())
	}
	c.fill(c.staged, "")
	if c.wanted.Operation == "delete" {
		for _, each := range c.staged {
			if err := c.put(each); err != nil {
				return err
			}
			each.body = nil
		}
		c.base = nil
	}
	return nil
}

// measure runs what was staged, on as many goroutines as the treatment says.
func (c *client) measure(count int) (reply, error) {
	items := c.staged
	c.staged = nil
	if len(items) != count {
		return nil, wrong{"other", strconv.Itoa(len(items)) + " operations are staged"}
	}
	if c.wanted.Operation == "put" {
		c.stored = items
	}
	took := make([]times, count)
	failed := make([]error, count)
	before := c.attempts.Load()
	resetPeak()
	cpu, began := cpuNs(), time.Now()
	if workers := min(c.wanted.Concurrency, count); workers == 1 {
		for place, each := range items {
			if took[place], failed[place] = c.operate(each); failed[place] != nil {
				return nil, failed[place]
			}
		}
	} else {
		c.inParallel(workers, items, took, failed)
	}
	wall, cpu := time.Since(began), cpuNs()-cpu
	for _, err := range failed {
		if err != nil {
			return nil, err
		}
	}
	elapsed, firstByte, check := make([]int64, count), []int64{}, []int64{}
	for place, each := range took {
		elapsed[place] = int64(each.elapsed)
		if c.wanted.Operation == "get" {
			firstByte = append(firstByte, int64(each.firstByte))
			check = append(check, int64(each.check))
		}
	}
	return reply{
		"elapsed_ns": elapsed, "first_byte_ns": firstByte, "check_ns": check, "wall_ns": int64(wall), "cpu_ns": cpu,
		"peak_bytes": peak(), "attempts": c.attempts.Load() - before,
	}, nil
}

func (c *client) inParallel(workers int, items []*item, took []times, failed []error) {
	places := make(chan int)
	var group sync.WaitGroup
	for range workers {
		group.Add(1)
		go func() {
			defer group.Done()
			for place := range places {
				took[place], failed[place] = c.operate(items[place])
			}
		}()
	}
	for place := range items {
		places <- place
	}
	close(places)
	group.Wait()
}

// operate is one timed operation.
func (c *client) operate(on *item) (times, error) {
	if c.wanted.Operation == "get" {
		took, err := c.get(on)
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
	return times{elapsed: time.Since(began) + spin(c.wanted.AddedNs)}, err
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

// clear removes what the last batch stored. The answers to a multipart upload do not all name the encryption.
func (c *client) clear() error {
	for _, each := range c.stored {
		if _, err := c.look(each); err != nil {
			return err
		}
		if err := c.remove(each); err != nil {
			return err
		}
	}
	c.stored = nil
	return nil
}

func (c *client) close() (reply, error) {
	if err := c.clear(); err != nil {
		return nil, err
	}
	for _, each := range append(c.objects, c.extra...) {
		if err := c.remove(each); err != nil {
			return nil, err
		}
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
