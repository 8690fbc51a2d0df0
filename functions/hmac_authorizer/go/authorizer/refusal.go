package authorizer

// Why an event is not authorized. The words are constants: nothing that was sent comes back, and nothing secret.

// refusal is the reason that is given back.
type refusal string

func (r refusal) Error() string { return string(r) }

const (
	// One answer for a wrong token and a wrong salt: whoever guesses must not learn which of the two was wrong.
	notGenuine = refusal("the token is not genuine")
	notChecked = refusal("nothing was checked")
)

// Answer is what the function returns.
type Answer struct {
	IsAuthorized bool     `json:"isAuthorized"`
	Reason       string   `json:"reason,omitempty"`
	Anatomy      *Anatomy `json:"anatomy,omitempty"`
}

func refused(reason error) Answer { return Answer{Reason: reason.Error()} }
