#!/bin/sh
# PostgreSQL under load, as a command for `sectax run command --host` (docs/confidential.md).
#
#   pgbench.sh serve    starts a server, and returns when it answers; the first time it makes the database
#   pgbench.sh load     a fixed number of transactions, which is what is timed
#
# The server does what it does in earnest: every commit is synced to the disk. Its files are below /var/tmp, which is this
# machine's disk in a container too.
set -eu
place=${PGBENCH_PLACE:-/var/tmp/sectax-pgbench}
bin=$(ls -d /usr/lib/postgresql/*/bin | tail -n 1)
as=
[ "$(id -u)" != 0 ] || as='setpriv --reuid=postgres --regid=postgres --clear-groups --' # the server refuses root

case ${1-} in
serve)
    if [ ! -e "$place/made" ]; then
        rm -rf "$place"
        mkdir -p "$place"
        [ -z "$as" ] || chown postgres:postgres "$place"
        $as "$bin/initdb" --auth=trust --pgdata="$place/data" >/dev/null
    fi
    # The server of the last execution was killed, and its own processes end when they see that: try again until they
    # have. Its number may be another process's by now, in a container above all.
    for attempt in 1 2 3 4 5 6 7 8 9 10; do
        rm -f "$place/data/postmaster.pid" "$place"/.s.PGSQL.*
        $as "$bin/postgres" -D "$place/data" -k "$place" -c listen_addresses= -c dynamic_shared_memory_type=mmap \
            </dev/null >"$place/log" 2>&1 &
        server=$!
        until "$bin/pg_isready" -q -h "$place"; do
            kill -0 "$server" 2>/dev/null || break
            sleep 0.1
        done
        ! kill -0 "$server" 2>/dev/null || break
        [ "$attempt" != 10 ] || { tail -n 3 "$place/log" >&2; exit 1; }
        sleep 0.5
    done
    if [ ! -e "$place/made" ]; then
        $as "$bin/pgbench" -h "$place" -i -q -s 5 postgres >/dev/null 2>&1
        touch "$place/made"
    fi
    ;;
load)
    exec $as "$bin/pgbench" -h "$place" -n -c 2 -j 2 -t "${2:-200}" postgres
    ;;
*)
    echo "pgbench.sh serve|load [TRANSACTIONS]" >&2
    exit 2
    ;;
esac
