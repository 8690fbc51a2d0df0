# The tool-chain of a function in Go: Go and nothing else.
GO ?= go

.PHONY: test lint format build clean have-go missing

missing:
	@$(GO) list . >/dev/null 2>&1 || echo "Go is missing or too old (as root: apt-get install golang-go; then sectax setup)"

test: have-go
	$(GO) test ./...

lint: have-go
	@unformatted=$$(gofmt -l .); [ -z "$$unformatted" ] || { echo "gofmt would change: $$unformatted" >&2; exit 1; }
	$(GO) vet ./...

format: have-go
	gofmt -w .

build: have-go
	GOOS=linux CGO_ENABLED=0 $(GO) build -tags lambda.norpc -trimpath -ldflags '-s -w' -o build/bootstrap .

clean:
	rm -rf build

# `list` reads go.mod, which an older Go refuses.
have-go:
	@if command -v $(GO) >/dev/null; then $(GO) list . >/dev/null && exit 0; else echo "Go is missing" >&2; fi; \
	echo "hint: 'make test' at the top of the checkout takes the Go that 'make probes' has fetched there with any Go" >&2; \
	echo "hint: install Go (Debian: apt-get install golang-go), or leave this function out: make … FUNCTIONS=$(notdir $(abspath ..))/python" >&2; \
	exit 1
