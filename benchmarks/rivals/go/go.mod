module sectax/benchmarks/rivals/chain

go 1.24
