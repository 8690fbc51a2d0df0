// Command chain computes the chain REPEATS times and prints its last tag.
package main

import (
	"fmt"
	"os"
	"strconv"

	chain "sectax/benchmarks/rivals/chain"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: chain REPEATS LINKS")
		os.Exit(2)
	}
	repeats, errRepeats := strconv.Atoi(os.Args[1])
	links, errLinks := strconv.Atoi(os.Args[2])
	if errRepeats != nil || errLinks != nil {
		fmt.Fprintln(os.Stderr, "usage: chain REPEATS LINKS")
		os.Exit(2)
	}
	var tag [32]byte
	for range repeats {
		tag = chain.Links(links)
	}
	fmt.Printf("%x\n", tag)
}
