package reader

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// service stands for Secrets Manager and for the sidecar, and counts what it is asked.
type service struct {
	*httptest.Server
	asked, connections, status atomic.Int64
}

func serve(t *testing.T) *service {
	t.Helper()
	made := &service{}
	made.status.Store(http.StatusOK)
	made.Server = httptest.NewUnstartedServer(http.HandlerFunc(made.answer))
	made.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			made.connections.Add(1)
		}
	}
	made.Start()
	t.Cleanup(made.Close)
	for name, value := range map[string]string{
		"AWS_ENDPOINT_URL_SECRETS_MANAGER": made.URL,
		"AWS_ACCESS_KEY_ID":                "local",
		"AWS_SECRET_ACCESS_KEY":            "local",
		"AWS_REGION":                       "us-east-1",
		"AWS_CA_BUNDLE":                    "",
		"NO_PROXY":                         "*",
	} {
		t.Setenv(name, value)
	}
	return made
}

func (s *service) answer(answer http.ResponseWriter, request *http.Request) {
	s.asked.Add(1)
	name := request.URL.Query().Get("secretId")
	if request.Method == http.MethodPost {
		var wanted struct{ SecretId string }
		_ = json.NewDecoder(request.Body).Decode(&wanted)
		name = wanted.SecretId
		answer.Header().Set("Content-Type", "application/x-amz-json-1.1")
	} else if request.Header.Get(tokenHeader) != "token" {
		answer.WriteHeader(http.StatusForbidden)
		return
	}
	answer.WriteHeader(int(s.status.Load()))
	_ = json.NewEncoder(answer).Encode(map[string]string{"Name": name, "SecretString": "secret of " + name})
}

var ways = []string{"dictionary", "direct", "direct_new", "sidecar", "sidecar_new"}

func load(t *testing.T, way string, from *service) Handler {
	t.Helper()
	read, _, err := makeRead(context.Background(), way)
	switch way {
	case "sidecar":
		read, err = (&agent{address: from.URL, token: "token"}).kept()
	case "sidecar_new":
		read, err = (&agent{address: from.URL, token: "token"}).new, nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return handlerOf(read, nil)
}

func proof(names ...string) string {
	text := "n"
	for _, name := range names {
		text += "secret of " + name
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func TestEveryWayReadsWhatIsThereAndNeverSaysIt(t *testing.T) {
	for _, way := range ways {
		from := serve(t)
		answer, err := load(t, way, from)(context.Background(), Event{Names: []string{"a", "b"}, Repeat: 1, Nonce: "n"})
		if err != nil {
			t.Fatal(way, err)
		}
		told, _ := json.Marshal(answer)
		if answer.Proof != proof("a", "b") || len(answer.TimesNs) != 2 || strings.Contains(string(told), "secret of") {
			t.Errorf("%s: %s", way, told)
		}
		if answer.PartsNs["backend_ns"] <= 0 || answer.PartsNs["connect_ns"] <= 0 || answer.PartsNs["request_ns"] <= 0 {
			t.Errorf("%s: a call has parts: %v", way, answer.PartsNs)
		}
		whole := answer.TimesNs[0] + answer.TimesNs[1]
		for part, spent := range answer.PartsNs {
			if spent > whole {
				t.Errorf("%s: %s is longer than the whole", way, part)
			}
		}
	}
}

func TestAnAnswerSeenBeforeTheRequestIsToldOfAddsNoTime(t *testing.T) {
	parts := &parts{}
	trace := httptrace.ContextClientTrace(parts.watch(context.Background()))
	start := time.Now()
	trace.GotConn(httptrace.GotConnInfo{})
	time.Sleep(2 * time.Millisecond)
	trace.GotFirstResponseByte()
	whole := time.Since(start).Nanoseconds()
	time.Sleep(2 * time.Millisecond)
	trace.WroteRequest(httptrace.WroteRequestInfo{})
	time.Sleep(2 * time.Millisecond)
	trace.GotFirstResponseByte()

	told := parts.told()
	if sum := told["request_ns"] + told["backend_ns"]; sum <= 0 || sum > whole {
		t.Errorf("%v of %d ns", told, whole)
	}
}

func TestTheSameSecretAgainIsAskedForAsOftenAsTheWaySays(t *testing.T) {
	const times = 50
	for way, wanted := range map[string]int64{
		"dictionary": 1, "direct": times, "direct_new": times, "sidecar": times, "sidecar_new": times,
	} {
		from := serve(t)
		event := Event{Names: slices.Repeat([]string{"a"}, times), Repeat: 1, Nonce: "n"}
		if _, err := load(t, way, from)(context.Background(), event); err != nil {
			t.Fatal(way, err)
		}
		calls, connections := from.asked.Load(), from.connections.Load()
		if calls != wanted {
			t.Errorf("%s: %d calls, not %d", way, calls, wanted)
		}
		// A kept connection is let go where the machine is so busy that its request is told as sent 50 ms after the answer:
		// how many are new depends on the load, but not all of them.
		if isNew := strings.HasSuffix(way, "_new"); isNew && connections != times || !isNew && connections == times {
			t.Errorf("%s: %d connections for %d calls", way, connections, times)
		}
	}
}

func TestABatchIsOneTimeAndWhatSettlesIsNotTold(t *testing.T) {
	from := serve(t)
	handle := load(t, "direct", from)
	answer, err := handle(context.Background(), Event{Names: []string{"a"}, Repeat: 5, Settle: 2, Nonce: "n"})
	if err != nil || len(answer.TimesNs) != 1 || answer.Proof != proof("a") || from.asked.Load() != 5+2+1 {
		t.Errorf("a batch: %v %v, %d calls", answer, err, from.asked.Load())
	}
	answer, err = handle(context.Background(), Event{Names: []string{"a", "b"}, Repeat: 1, Settle: 1, Nonce: "n"})
	if err != nil || len(answer.TimesNs) != 1 || answer.Proof != proof("b") {
		t.Errorf("after settling: %v %v", answer, err)
	}
}

func TestARefusalIsAnErrorAndNothingIsTriedTwice(t *testing.T) {
	for _, way := range ways {
		for _, status := range []int64{400, 403, 500} {
			from := serve(t)
			from.status.Store(status)
			if _, err := load(t, way, from)(context.Background(), Event{Names: []string{"a"}, Nonce: "n"}); err == nil {
				t.Errorf("%s: %d passed for a reading", way, status)
			}
			if from.asked.Load() != 1 {
				t.Errorf("%s: %d calls after %d", way, from.asked.Load(), status)
			}
		}
	}
}

func TestWhatIsKeptIsAskedForAgainAfterItsTTL(t *testing.T) {
	asked := 0
	read := dictionary(func(context.Context, string) (string, error) {
		asked++
		return "secret", nil
	}, 50*time.Millisecond)
	for range 2 {
		_, _ = read(context.Background(), "a")
	}
	time.Sleep(60 * time.Millisecond)
	_, _ = read(context.Background(), "a")
	if asked != 2 {
		t.Errorf("asked %d times, not 2", asked)
	}
}

func TestAWrongSettingOrEventIsRefused(t *testing.T) {
	if _, err := New(context.Background(), "guess"); err == nil {
		t.Error("an unknown way was taken")
	}
	handle := handlerOf(func(context.Context, string) (string, error) { return "", nil }, nil)
	if _, err := handle(context.Background(), Event{Names: []string{"a"}, Settle: 1}); err == nil {
		t.Error("an event that leaves nothing to read was taken")
	}
	t.Setenv("SECRETS_TTL", "soon")
	if _, err := ttl(); err == nil {
		t.Error("a TTL that is no number was taken")
	}
}

func TestASidecarThatStopsInTheMiddleOfAnAnswerEndsWithTheInvocation(t *testing.T) {
	over := make(chan struct{})
	stuck := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, _ *http.Request) {
		answer.Header().Set("Content-Length", "500")
		_, _ = answer.Write([]byte(`{"SecretString": "half`))
		answer.(http.Flusher).Flush()
		<-over
	}))
	defer stuck.Close()
	defer close(over)
	read, err := (&agent{address: stuck.URL, token: "token"}).kept()
	if err != nil {
		t.Fatal(err)
	}
	invocation, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()

	_, err = handlerOf(read, nil)(invocation, Event{Names: []string{"a"}, Repeat: 1})

	if !errors.Is(err, context.DeadlineExceeded) {
		t.Error("half an answer was taken, or waited for:", err)
	}
}
