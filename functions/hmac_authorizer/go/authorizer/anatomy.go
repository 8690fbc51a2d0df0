package authorizer

import (
	"syscall"
	"time"
	"unsafe"
)

// Anatomy is how many nanoseconds each step took; a step that this treatment has not is not there. Check is all that
// authenticates, Whole all steps; of both the process's CPU time is told, too.
type Anatomy struct {
	Fields      int64  `json:"fields_ns"`
	UTF8        int64  `json:"utf8_ns"`
	Derive      *int64 `json:"derive_ns,omitempty"`
	MAC         *int64 `json:"mac_ns,omitempty"`
	Compare     *int64 `json:"compare_ns,omitempty"`
	Base64      *int64 `json:"base64_ns,omitempty"`
	MessagePack *int64 `json:"messagepack_ns,omitempty"`
	Check       *int64 `json:"check_ns,omitempty"`
	CheckCPU    *int64 `json:"check_cpu_ns,omitempty"`
	Whole       int64  `json:"whole_ns"`
	WholeCPU    int64  `json:"whole_cpu_ns"`
}

// takeTimed takes the steps of take with a clock between them. A test holds the two to the same answers. The clocks
// around the check are read where nothing is checked as well, so that a difference of two treatments has no part of them.
func takeTimed(settings Settings, now func() time.Time, event any) (Anatomy, error) {
	var took Anatomy
	used := processTime()
	begun := time.Now()
	fields, err := readFields(event, settings.scheme.tokenDigits())
	if err != nil {
		return took, err
	}
	formed := time.Now()
	salt, err := fields.saltBytes()
	if err != nil {
		return took, err
	}
	data, err := fields.dataBytes()
	if err != nil {
		return took, err
	}
	last := time.Now()
	took.Fields, took.UTF8 = between(begun, formed), between(formed, last)
	usedBefore := processTime()
	begunCheck := time.Now()
	if settings.checks {
		key := settings.scheme.derive(salt)
		derived := time.Now()
		mac := settings.scheme.mac(key, data)
		authenticated := time.Now()
		genuine := settings.scheme.matches(fields.token, mac)
		last = time.Now()
		took.Derive, took.MAC = step(begunCheck, derived), step(derived, authenticated)
		took.Compare = step(authenticated, last)
		if !genuine {
			return took, notGenuine
		}
		took.Check = step(begunCheck, last)
	}
	if checkCPU := processTime() - usedBefore; settings.checks {
		took.CheckCPU = &checkCPU
	}
	if settings.unpacks {
		begunUnpacking := time.Now()
		raw, err := unbase64(data)
		if err != nil {
			return took, err
		}
		decoded := time.Now()
		payload, err := unpack(raw, settings.expires)
		if err == nil && settings.expires {
			err = payload.refuseExpired(now())
		}
		if err != nil {
			return took, err
		}
		last = time.Now()
		took.Base64, took.MessagePack = step(begunUnpacking, decoded), step(decoded, last)
	}
	took.Whole, took.WholeCPU = between(begun, last), processTime()-used
	return took, nil
}

func between(begun, ended time.Time) int64 { return ended.Sub(begun).Nanoseconds() }

func step(begun, ended time.Time) *int64 {
	took := between(begun, ended)
	return &took
}

// CLOCK_PROCESS_CPUTIME_ID of <time.h>
const processClock = 2

// processTime is the CPU time of the whole process in nanoseconds. The standard library has it in microseconds alone.
func processTime() int64 {
	var now syscall.Timespec
	if _, _, failed := syscall.RawSyscall(
		syscall.SYS_CLOCK_GETTIME, processClock, uintptr(unsafe.Pointer(&now)), 0); failed != 0 {
		return 0
	}
	return now.Nano()
}
