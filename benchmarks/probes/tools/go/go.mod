module sectax/bench-call

go 1.24.0
