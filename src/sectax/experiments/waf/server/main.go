// A service with a filter in front: a page that does nothing, behind Coraza with the OWASP Core Rule Set.
//
//	waf -port 8080 -mode off|detection|blocking -paranoia 1
//
// The page is asked at /; at /-/filter the server says what its filter is and what it has done, past the filter.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"strings"
	"sync/atomic"

	coreruleset "github.com/corazawaf/coraza-coreruleset/v4"
	"github.com/corazawaf/coraza/v3"
	txhttp "github.com/corazawaf/coraza/v3/http"
	"github.com/corazawaf/coraza/v3/types"
)

const (
	page     = "a page that does nothing\n"
	mostBody = 1 << 20
)

var engines = map[string]string{"detection": "DetectionOnly", "blocking": "On"}

// tally is what the filter is, and what it has done.
type tally struct {
	mode              string
	paranoia          int
	requests, matched atomic.Int64 // requests, and rules that matched
}

func main() {
	port := flag.Int("port", 0, "on loopback")
	mode := flag.String("mode", "off", "off, detection or blocking")
	paranoia := flag.Int("paranoia", 1, "level of the rules, 1 to 4")
	flag.Parse()
	seen := &tally{mode: *mode, paranoia: *paranoia}
	filtered, err := seen.filter(http.HandlerFunc(answer))
	if err == nil {
		err = serve(*port, filtered, seen)
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func serve(port int, filtered http.Handler, seen *tally) error {
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return err
	}
	return http.Serve(listener, http.HandlerFunc(func(to http.ResponseWriter, asked *http.Request) {
		if asked.URL.Path == "/-/filter" {
			seen.tell(to)
			return
		}
		seen.requests.Add(1)
		filtered.ServeHTTP(to, asked)
	}))
}

// answer reads what it is sent, as a service does, and gives the page.
func answer(to http.ResponseWriter, asked *http.Request) {
	if _, err := io.Copy(io.Discard, http.MaxBytesReader(to, asked.Body, mostBody)); err != nil {
		http.Error(to, err.Error(), http.StatusBadRequest)
		return
	}
	to.Header().Set("Content-Type", "text/plain")
	_, _ = io.WriteString(to, page)
}

// filter puts Coraza before a handler, with the settings that it and the rule set recommend. Matches are counted in
// the place of a log.
func (t *tally) filter(handler http.Handler) (http.Handler, error) {
	if t.mode == "off" {
		return handler, nil
	}
	engine, known := engines[t.mode]
	if !known || t.paranoia < 1 || t.paranoia > 4 {
		return nil, fmt.Errorf("there is no mode %q, or no paranoia level %d", t.mode, t.paranoia)
	}
	directives := fmt.Sprintf(`
Include @coraza.conf-recommended
SecRuleEngine %s
SecAuditEngine Off
Include @crs-setup.conf.example
SecAction "id:900000,phase:1,pass,t:none,nolog,setvar:tx.blocking_paranoia_level=%d"
Include @owasp_crs/*.conf
`, engine, t.paranoia)
	made, err := coraza.NewWAF(coraza.NewWAFConfig().
		WithRootFS(coreruleset.FS).
		WithErrorCallback(func(types.MatchedRule) { t.matched.Add(1) }).
		WithDirectives(directives))
	if err != nil {
		return nil, err
	}
	return txhttp.WrapHandler(made, handler), nil
}

func (t *tally) tell(to http.ResponseWriter) {
	said := map[string]any{
		"mode": t.mode, "paranoia": t.paranoia, "requests": t.requests.Load(), "matched": t.matched.Load(),
		"libraries": libraries(),
	}
	_ = json.NewEncoder(to).Encode(said)
}

// libraries names the modules that filter.
func libraries() string {
	found := []string{}
	if built, ok := debug.ReadBuildInfo(); ok {
		for _, module := range built.Deps {
			if name := module.Path; strings.HasPrefix(name, "github.com/corazawaf/coraza") {
				found = append(found, strings.TrimPrefix(name, "github.com/corazawaf/")+" "+module.Version)
			}
		}
	}
	return strings.Join(found, ", ")
}
