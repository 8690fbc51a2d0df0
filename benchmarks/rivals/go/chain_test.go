package chain

import (
	"encoding/hex"
	"os"
	"strconv"
	"testing"
)

// The benchmark keeps its name whatever the number of links, so that benchstat sets the runs side by side.
func BenchmarkChain(b *testing.B) {
	links, err := strconv.Atoi(os.Getenv("CHAIN_LINKS"))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		Links(links)
	}
}

// The first tag as Python's hmac has it: hmac.digest(bytes(32), bytes(1024), "sha256").
func TestOneLink(t *testing.T) {
	tag := Links(1)
	if got := hex.EncodeToString(tag[:]); got != "0b29a86642575ca4917afd4ec625137f4d0edf38c563fea14cb9ed3c6f578b8f" {
		t.Fatal(got)
	}
}
