package main

import (
	"bytes"
	"io"
	"testing"
)

func TestWhatWasSealedOpensAgain(t *testing.T) {
	key := random(32)
	for _, size := range []int{0, 1, segment - 1, segment, segment + 1, 3*segment + 7} {
		body := random(size)
		sealed, err := seal(key, body)
		if err != nil {
			t.Fatal(err)
		}
		opened, err := io.ReadAll(newUnsealed(key, bytes.NewReader(sealed)))
		if err != nil || !bytes.Equal(opened, body) {
			t.Errorf("%d bytes came back as %d, %v", size, len(opened), err)
		}
	}
}

func TestWhatWasCutReorderedOrChangedIsRefused(t *testing.T) {
	key, body := random(32), random(3*segment)
	sealed, err := seal(key, body)
	if err != nil {
		t.Fatal(err)
	}
	header, stored := saltSize+prefixSize, segment+tagSize
	swapped := bytes.Clone(sealed)
	copy(swapped[header:], sealed[header+stored:header+2*stored])
	copy(swapped[header+stored:], sealed[header:header+stored])
	changed := bytes.Clone(sealed)
	changed[len(changed)-1] ^= 1
	for name, bad := range map[string][]byte{
		"cut at a segment":    sealed[:header+2*stored],
		"cut inside one":      sealed[:header+stored+5],
		"the header alone":    sealed[:header],
		"segments exchanged":  swapped,
		"the last bit turned": changed,
	} {
		if _, err := io.ReadAll(newUnsealed(key, bytes.NewReader(bad))); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
}
