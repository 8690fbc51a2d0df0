package kit

import (
	"encoding/json"
	"strings"
	"testing"
)

func probe() Probe {
	known := map[string]map[string][]string{"twice": {"way": {"right", "wrong"}}}
	return Probe{Name: "test", Version: "1", Operations: known, Prepare: func(operation string, parameters, inputs map[string]string) (*Operation, error) {
		switch parameters["way"] {
		case "rare":
			return nil, Skipped("not here")
		case "broken":
			panic("an accident")
		}
		return &Operation{Run: func() (int, bool) { return 2, parameters["way"] == "right" }}, nil
	}}
}

func talk(t *testing.T, lines ...string) []map[string]any {
	t.Helper()
	var out strings.Builder
	if err := probe().Serve(strings.NewReader(strings.Join(lines, "\n")+"\n"), &out); err != nil {
		t.Fatal(err)
	}
	var replies []map[string]any
	for line := range strings.Lines(out.String()) {
		var read map[string]any
		if err := json.Unmarshal([]byte(line), &read); err != nil {
			t.Fatal(err)
		}
		replies = append(replies, read)
	}
	return replies
}

const right = `{"seq": 1, "command": "prepare", "operation": "twice", "parameters": {"way": "right"}}`

func TestABatchIsCountedAndTimed(t *testing.T) {
	replies := talk(t, right, `{"seq": 2, "command": "measure", "count": 7, "settle": 3}`, `{"seq": 3, "command": "measure", "count": 7, "each": true}`)
	batch, singles := replies[1], replies[2]
	if batch["count"] != 7.0 || batch["bytes"] != 14.0 || batch["failures"] != 0.0 || len(batch["elapsed_ns"].([]any)) != 1 || batch["cpu_ns"] == nil {
		t.Errorf("batch: %v", batch)
	}
	if len(singles["elapsed_ns"].([]any)) != 7 || singles["cpu_ns"] != nil {
		t.Errorf("one by one: %v", singles)
	}
}

func TestWrongResultsAreFailures(t *testing.T) {
	replies := talk(t, strings.Replace(right, "right", "wrong", 1), `{"seq": 2, "command": "measure", "count": 5, "settle": 2}`)
	if replies[1]["failures"] != 5.0 {
		t.Errorf("%v", replies[1])
	}
}

func TestRefusals(t *testing.T) {
	cases := []struct{ line, status string }{
		{`{"seq": 9, "command": "measure", "count": 1}`, "failed"},
		{`{"seq": 9, "command": "witness"}`, "failed"},
		{`{"seq": 9, "command": "hello", "protocol": 2}`, "failed"},
		{`{"seq": 9, "command": "dance"}`, "failed"},
		{`{"seq": 9, "command": "prepare", "operation": "thrice"}`, "failed"},
		{`{"seq": 9, "command": "prepare", "operation": "twice", "parameters": {"size": "1"}}`, "failed"},
		{strings.Replace(right, "right", "rare", 1), "skipped"},
		{strings.Replace(right, "right", "broken", 1), "failed"},
		{`{"seq": "9"}`, "failed"},
		{`[]`, "failed"},
		{`{`, "failed"},
	}
	for _, tried := range cases {
		replies := talk(t, tried.line, `{"seq": 10, "command": "hello", "protocol": 1}`)
		if replies[0]["status"] != tried.status || replies[0]["reason"] == "" {
			t.Errorf("%s: %v", tried.line, replies[0])
		}
		if replies[1]["status"] != "ok" {
			t.Errorf("%s ended the conversation: %v", tried.line, replies[1])
		}
	}
}

func TestCountsOutOfBoundsAreRefused(t *testing.T) {
	for _, members := range []string{`"count": 0`, `"count": 1, "settle": -1`, `"count": 1000001, "each": true`, `"count": 1.5`} {
		if answer := talk(t, right, `{"seq": 2, "command": "measure", `+members+`}`)[1]; answer["status"] != "failed" {
			t.Errorf("%s: %v", members, answer)
		}
	}
}

func TestARefusedPrepareLeavesNothingToMeasure(t *testing.T) {
	replies := talk(t, right, strings.Replace(right, "right", "rare", 1), `{"seq": 3, "command": "measure", "count": 1}`)
	if replies[2]["status"] != "failed" {
		t.Errorf("%v", replies[2])
	}
}

func TestStopEndsTheConversation(t *testing.T) {
	if replies := talk(t, `{"seq": 1, "command": "stop"}`, right); len(replies) != 1 || replies[0]["status"] != "ok" {
		t.Errorf("%v", replies)
	}
}

func TestClocks(t *testing.T) {
	hello := talk(t, `{"seq": 1, "command": "hello", "protocol": 1}`)[0]
	for _, name := range []string{"clock", "cpu_clock"} {
		clock := hello[name].(map[string]any)
		if clock["granularity_ns"].(float64) < 1 || clock["read_ns"].(float64) > 1e6 {
			t.Errorf("%s: %v", name, clock)
		}
	}
}
