#!/bin/sh
# An HTTP service and its client, as a command for `sectax run command --host` (docs/confidential.md).
#
#   http.sh serve         starts the service, and returns when it answers
#   http.sh load [COUNT]  a fixed number of requests, one after another, which is what is timed
#
# Put your own service in the place of Python's. The number of requests is fixed, and not the seconds: a load that runs
# for a configured time (wrk, hey, ab -t) takes that time on every host, and its duration compares nothing.
set -eu
place=${HTTP_PLACE:-/var/tmp/sectax-http}
port=${HTTP_PORT:-8642}
page=http://127.0.0.1:$port/page.html

case ${1-} in
serve)
    mkdir -p "$place/files"
    [ -e "$place/files/page.html" ] || head -c 10240 /dev/zero | tr '\0' 'x' >"$place/files/page.html"
    # Where somebody else has the port, his answers would be measured.
    ! curl --silent --max-time 2 --output /dev/null "$page" || { echo "port $port is in use: set HTTP_PORT" >&2; exit 1; }
    python3 -m http.server --bind 127.0.0.1 --directory "$place/files" "$port" \
        </dev/null >"$place/log" 2>&1 &
    server=$!
    until curl --silent --fail --max-time 2 --output /dev/null "$page"; do
        kill -0 "$server" 2>/dev/null || { tail -n 3 "$place/log" >&2; exit 1; }
        sleep 0.05
    done
    ;;
load)
    # An answer that is none of 2xx ends it, and the execution has failed.
    exec curl --silent --show-error --fail --fail-early --output /dev/null "$page?[1-${2:-500}]"
    ;;
*)
    echo "http.sh serve|load [COUNT]" >&2
    exit 2
    ;;
esac
