package authorizer

import "fmt"

// The event: an object of exactly three texts, key (the salt), token and data.

const (
	longestSalt = 128             // bytes
	longestData = 6 * 1024 * 1024 // bytes; what Lambda takes in one invocation
)

var names = [...]string{"key", "token", "data"}

// fields are the texts of an event, each of the form that it must have.
type fields struct{ key, token, data string }

// readFields takes the event as JSON was decoded into an interface, for only there a field cannot hide behind another
// spelling of its name, and a wrong type can be told from a missing field.
func readFields(event any, digits int) (fields, error) {
	object, ok := event.(map[string]any)
	if !ok {
		return fields{}, refusal("the event is no JSON object")
	}
	for _, name := range names {
		if _, there := object[name]; !there {
			return fields{}, refusal("the event lacks `" + name + "`")
		}
	}
	if len(object) != len(names) {
		return fields{}, refusal("the event has a field besides `key`, `token` and `data`")
	}
	var texts [len(names)]string
	for i, name := range names {
		if texts[i], ok = object[name].(string); !ok {
			return fields{}, refusal("`" + name + "` is no text")
		}
	}
	read := fields{texts[0], texts[1], texts[2]}
	if !isToken(read.token, digits) {
		return fields{}, refusal(fmt.Sprintf("`token` is not %d lower-case hexadecimal digits", digits))
	}
	return read, nil
}

// isToken refuses upper case: a token has one spelling.
func isToken(token string, digits int) bool {
	if len(token) != digits {
		return false
	}
	for i := range len(token) {
		if c := token[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

func (f fields) saltBytes() ([]byte, error) {
	if len(f.key) == 0 || len(f.key) > longestSalt {
		return nil, refusal(fmt.Sprintf("`key` is empty or longer than %d bytes", longestSalt))
	}
	return []byte(f.key), nil
}

func (f fields) dataBytes() ([]byte, error) {
	if len(f.data) > longestData {
		return nil, refusal(fmt.Sprintf("`data` is longer than %d bytes", longestData))
	}
	return []byte(f.data), nil
}
