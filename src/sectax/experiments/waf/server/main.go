// A service behind a filter: a page that does nothing, behind Coraza with the OWASP Core Rule Set.
//
//	waf -port 8080 -mode off|detection|blocking -paranoia 1
//
// The page is at /; /-/filter is the status of the filter, and is not filtered.
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

// filter has the settings and counters of the filter.
type filter struct {
	mode              string
	paranoia          int
	requests, matched atomic.Int64 // requests, and matched rules
}

func main() {
	port := flag.Int("port", 0, "on loopback")
	mode := flag.String("mode", "off", "off, detection or blocking")
	paranoia := flag.Int("paranoia", 1, "level of the rules, 1 to 4")
	flag.Parse()
	status := &filter{mode: *mode, paranoia: *paranoia}
	filtered, err := status.wrap(http.HandlerFunc(answer))
	if err == nil {
		err = serve(*port, filtered, status)
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func serve(port int, filtered http.Handler, status *filter) error {
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return err
	}
	return http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/-/filter" {
			status.write(w)
			return
		}
		status.requests.Add(1)
		filtered.ServeHTTP(w, r)
	}))
}

// answer reads the body, and writes the page.
func answer(w http.ResponseWriter, r *http.Request) {
	if _, err := io.Copy(io.Discard, http.MaxBytesReader(w, r.Body, mostBody)); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/plain")
	_, _ = io.WriteString(w, page)
}

// wrap puts Coraza in front of a handler, with recommended settings. Matches are counted instead of logged.
func (f *filter) wrap(handler http.Handler) (http.Handler, error) {
	if f.mode == "off" {
		return handler, nil
	}
	engine, known := engines[f.mode]
	if !known || f.paranoia < 1 || f.paranoia > 4 {
		return nil, fmt.Errorf("unknown mode %q or paranoia level %d", f.mode, f.paranoia)
	}
	directives := fmt.Sprintf(`
Include @coraza.conf-recommended
SecRuleEngine %s
SecAuditEngine Off
Include @crs-setup.conf.example
SecAction "id:900000,phase:1,pass,t:none,nolog,setvar:tx.blocking_paranoia_level=%d"
Include @owasp_crs/*.conf
`, engine, f.paranoia)
	waf, err := coraza.NewWAF(coraza.NewWAFConfig().
		WithRootFS(coreruleset.FS).
		WithErrorCallback(func(types.MatchedRule) { f.matched.Add(1) }).
		WithDirectives(directives))
	if err != nil {
		return nil, err
	}
	return txhttp.WrapHandler(waf, handler), nil
}

func (f *filter) write(w http.ResponseWriter) {
	_ = json.NewEncoder(w).Encode(map[string]any{
		"mode": f.mode, "paranoia": f.paranoia, "requests": f.requests.Load(), "matched": f.matched.Load(),
		"libraries": libraries(),
	})
}

// libraries lists the filter's modules with their versions.
func libraries() string {
	modules := []string{}
	if built, ok := debug.ReadBuildInfo(); ok {
		for _, module := range built.Deps {
			if name := module.Path; strings.HasPrefix(name, "github.com/corazawaf/coraza") {
				modules = append(modules, strings.TrimPrefix(name, "github.com/corazawaf/")+" "+module.Version)
			}
		}
	}
	return strings.Join(modules, ", ")
}
