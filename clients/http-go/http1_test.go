package main

import "testing"

func TestAHeaderSaysWhereTheAnswerEnds(t *testing.T) {
	for line, expected := range map[string]head{
		"content-length: 12":         {length: 12, keeps: true},
		"Transfer-Encoding: Chunked": {length: -1, chunked: true, keeps: true},
		"CONNECTION: Close":          {length: -1},
		"X-Length: 12":               {length: -1, keeps: true},
	} {
		seen := head{length: -1, keeps: true}
		if err := seen.take([]byte(line)); err != nil || seen != expected {
			t.Errorf("%s is read as %+v, %v", line, seen, err)
		}
	}
	for _, line := range []string{"no colon", " folded: line", "Content-Length: 1e3", "Content-Length: -1", "Transfer-Encoding: gzip"} {
		if err := (&head{length: -1}).take([]byte(line)); err == nil {
			t.Errorf("%s was taken", line)
		}
	}
}
