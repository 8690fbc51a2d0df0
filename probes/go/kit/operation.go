// Package kit is what every probe in Go repeats: the conversation of probes/PROTOCOL.md, the clocks and the batches.
// What is measured comes from the probe, as operations.
package kit

// Operation is one operation made ready, and what can be asked about it outside the timing. All but Run may be nil.
type Operation struct {
	Run       func() (int, bool)                   // what is timed: the bytes that it made, and whether it came out right
	Witnesses map[string]any                       // read back from the real thing
	Artefact  func() (string, error)               // a fresh product of the code that is timed
	Accepts   func(artefact string) bool           // whether that code, or its counterpart, finds one genuine
	ReadBack  func(artefact string) map[string]any // witnesses of the artefact, or of the input where none is made
}

// Probe is what hello answers, and the way from the names in a request to an operation. `empty` is the kit's own.
type Probe struct {
	Name, Version string
	Libraries     []Named
	Operations    map[string]map[string][]string // the values of each parameter
	Prepare       func(operation string, parameters, inputs map[string]string) (*Operation, error)
	live          *Operation
}

// Named is a library and its version.
type Named struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Refusal ends a request, not the probe. It never quotes an input, which may be a key.
type Refusal struct{ Status, Reason string }

func (r Refusal) Error() string { return r.Reason }

// Skipped says that this cannot be had here, Failed that the request is wrong or went wrong.
func Skipped(reason string) error { return Refusal{"skipped", reason} }
func Failed(reason string) error  { return Refusal{"failed", reason} }
