/* The PostgreSQL client of sectax: libpq itself, as psql and pgbench have it. One process holds all arms of a comparison.
 *
 * It reads one command a line from stdin, its words between tabs, and answers each with one JSON object a line:
 *
 *   hello                                    client, clock
 *   open ARM KEPT ADDED_NS CONNINFO QUERY    connects, asks what the server says of the connection, asks once: witnesses
 *   measure ARM COUNT                        elapsed_ns, connect_ns: one for each transaction; wall_ns, cpu_ns of all
 *   close ARM                                transactions, connections
 *
 * A transaction is the query; where the connection is not KEPT, a connection of its own around it, from its first byte
 * to its end. `:aid` in the query is a random key. An answer other than the first one is a fault, as is a failure of
 * libpq: then `ok` is false, with `kind` and `reason`. Passwords come over stdin alone, and libpq repeats none of them.
 */
#include <ctype.h>
#include <errno.h>
#include <libpq-fe.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { MOST_ARMS = 64, MOST_WORDS = 8, LONGEST_NAME = 200, LONGEST_QUERY = 2000, KEYS = 100000 };
enum { LONGEST_END_NS = 2000000000 };

struct arm {
    char name[LONGEST_NAME], *conninfo, query[LONGEST_QUERY];
    int kept;
    int64_t added_ns;
    PGconn *conn;
    uint64_t answer; /* a hash of the first one, that all others must be like */
    long transactions, connections;
};

static struct arm arms[MOST_ARMS];
static uint64_t dice = 88172645463325252ull;

static int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000ll + now.tv_nsec;
}

static int64_t cpu_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec * 1000000000ll + now.tv_nsec;
}

static void print_text(const char *name, const char *text) {
    printf(", \"%s\": \"", name);
    for (; *text; text++) {
        unsigned char sign = (unsigned char)*text;
        if (sign == '"' || sign == '\\')
            printf("\\%c", sign);
        else if (sign < 0x20)
            putchar(' ');
        else
            putchar(sign);
    }
    putchar('"');
}

static int fail(const char *kind, const char *reason) {
    printf("{\"ok\": false");
    print_text("kind", kind);
    print_text("reason", reason);
    printf("}\n");
    return -1;
}

static int fail_as_libpq(struct arm *on, const char *kind) {
    int failed = fail(kind, on->conn ? PQerrorMessage(on->conn) : "no memory is left");
    PQfinish(on->conn);
    on->conn = NULL;
    return failed;
}

/* Mixes what an answer holds: rows, columns and values. */
static uint64_t hash_of(const PGresult *seen) {
    uint64_t hash = 14695981039346656037ull;
    int rows = PQntuples(seen), columns = PQnfields(seen);
    for (int row = 0; row < rows; row++)
        for (int column = 0; column < columns; column++) {
            const char *value = PQgetvalue(seen, row, column);
            for (int place = 0, length = PQgetlength(seen, row, column); place <= length; place++)
                hash = (hash ^ (unsigned char)value[place]) * 1099511628211ull;
        }
    return hash ^ ((uint64_t)rows << 32);
}

/* The query with a key of its own, as pgbench draws one. */
static void fill(const struct arm *on, char *text) {
    const char *place = strstr(on->query, ":aid");
    if (!place) {
        strcpy(text, on->query);
        return;
    }
    dice ^= dice << 13, dice ^= dice >> 7, dice ^= dice << 17;
    snprintf(text, LONGEST_QUERY + 16, "%.*s%d%s", (int)(place - on->query), on->query, (int)(dice % KEYS) + 1, place + 4);
}

static int connected(struct arm *on) {
    on->conn = PQconnectdb(on->conninfo);
    on->connections++;
    return PQstatus(on->conn) == CONNECTION_OK;
}

/* What the server says of the connection that is open. */
static int witness(struct arm *on) {
    PGresult *seen = PQexec(on->conn, "SELECT ssl::int, coalesce(version, ''), coalesce(cipher, ''), "
                                      "pg_backend_pid(), current_setting('server_version') "
                                      "FROM pg_stat_ssl WHERE pid = pg_backend_pid()");
    if (PQresultStatus(seen) != PGRES_TUPLES_OK || PQntuples(seen) != 1) {
        PQclear(seen);
        return fail_as_libpq(on, "query");
    }
    printf("{\"ok\": true, \"witnesses\": {\"ssl\": %s", PQgetvalue(seen, 0, 0)[0] == '1' ? "true" : "false");
    if (PQgetvalue(seen, 0, 1)[0]) {
        print_text("tls", PQgetvalue(seen, 0, 1));
        print_text("cipher", PQgetvalue(seen, 0, 2));
    }
    print_text("server", PQgetvalue(seen, 0, 4));
    printf("}, \"backend\": %s", PQgetvalue(seen, 0, 3));
    printf(", \"used_password\": %s", PQconnectionUsedPassword(on->conn) ? "true" : "false");
    PQclear(seen);
    return 0;
}

static int open_arm(struct arm *on, char **words) {
    memset(on, 0, sizeof *on);
    if (strlen(words[1]) >= LONGEST_NAME || strlen(words[5]) >= LONGEST_QUERY)
        return fail("other", "a name or a query is too long");
    strcpy(on->name, words[1]);
    strcpy(on->query, words[5]);
    on->kept = atoi(words[2]);
    on->added_ns = atoll(words[3]);
    on->conninfo = strdup(words[4]);
    if (!connected(on))
        return fail_as_libpq(on, "connection");
    char query[LONGEST_QUERY + 16];
    fill(on, query);
    PGresult *seen = PQexec(on->conn, query);
    if (PQresultStatus(seen) != PGRES_TUPLES_OK) {
        PQclear(seen);
        return fail_as_libpq(on, "query");
    }
    int rows = PQntuples(seen);
    on->answer = hash_of(seen);
    PQclear(seen);
    if (witness(on))
        return -1;
    printf(", \"rows\": %d}\n", rows);
    if (!on->kept) {
        PQfinish(on->conn);
        on->conn = NULL;
    }
    return 0;
}

/* Waits until the server's process of a connection is no more: the next one would share its processor with the end of this one. */
static int await_end(int pid) {
    const struct timespec pause = {.tv_nsec = 20000};
    for (int64_t due = now_ns() + LONGEST_END_NS; kill(pid, 0) == 0 || errno == EPERM; nanosleep(&pause, NULL))
        if (now_ns() > due)
            return fail("other", "the server's process of a connection goes on after its end");
    return 0;
}

/* One transaction: its time, that of connecting, and the CPU time of both. */
static int transact(struct arm *on, int64_t *elapsed, int64_t *connecting, int64_t *cpu) {
    char query[LONGEST_QUERY + 16];
    fill(on, query);
    int64_t spent = cpu_ns(), began = now_ns();
    if (!on->kept && !connected(on))
        return fail_as_libpq(on, "connection");
    *connecting = on->kept ? 0 : now_ns() - began;
    PGresult *seen = PQexec(on->conn, query);
    int failed = PQresultStatus(seen) != PGRES_TUPLES_OK;
    if (failed) {
        PQclear(seen);
        return fail_as_libpq(on, "query");
    }
    int backend = on->kept ? 0 : PQbackendPID(on->conn);
    if (!on->kept) {
        PQfinish(on->conn);
        on->conn = NULL;
    }
    *elapsed = now_ns() - began;
    *cpu += cpu_ns() - spent;
    if (backend && await_end(backend)) {
        PQclear(seen);
        return -1;
    }
    int64_t from = now_ns(), now = from;
    while (now - from < on->added_ns)
        now = now_ns();
    *elapsed += now - from;
    int same = hash_of(seen) == on->answer;
    PQclear(seen);
    on->transactions++;
    return same ? 0 : fail("answer-varies", "an answer is another one than the first");
}

static void print_times(const char *name, const int64_t *times, int count) {
    printf("\"%s\": [", name);
    for (int place = 0; place < count; place++)
        printf("%s%lld", place ? "," : "", (long long)times[place]);
    printf("], ");
}

static int measure(struct arm *on, int count) {
    if (count < 1 || count > 10000000)
        return fail("other", "so many transactions are not measured at once");
    int64_t *elapsed = calloc((size_t)count, sizeof *elapsed), *connecting = calloc((size_t)count, sizeof *connecting);
    if (!elapsed || !connecting)
        return fail("other", "no memory is left");
    int failed = 0;
    int64_t cpu = 0, began = now_ns();
    for (int place = 0; place < count && !failed; place++)
        failed = transact(on, &elapsed[place], &connecting[place], &cpu);
    int64_t wall = now_ns() - began;
    if (!failed) {
        printf("{\"ok\": true, ");
        print_times("elapsed_ns", elapsed, count);
        print_times("connect_ns", connecting, on->kept ? 0 : count);
        printf("\"wall_ns\": %lld, \"cpu_ns\": %lld}\n", (long long)wall, (long long)cpu);
    }
    free(elapsed);
    free(connecting);
    return failed;
}

static int compare(const void *one, const void *other) {
    int64_t difference = *(const int64_t *)one - *(const int64_t *)other;
    return (difference > 0) - (difference < 0);
}

static void hello(void) {
    enum { READINGS = 2000 };
    static int64_t took[READINGS];
    int64_t step = 0;
    for (int place = 0; place < READINGS; place++) {
        int64_t began = now_ns();
        took[place] = now_ns() - began;
        if (took[place] > 0 && (!step || took[place] < step))
            step = took[place];
    }
    qsort(took, READINGS, sizeof *took, compare);
    int version = PQlibVersion();
    printf("{\"ok\": true, \"client\": \"libpq %d.%d\", \"clock\": {\"name\": \"monotonic\", \"granularity_ns\": %lld, "
           "\"read_ns\": %lld}}\n",
           version / 10000, version % 10000, (long long)(step ? step : 1), (long long)took[READINGS / 2]);
}

static struct arm *find(const char *name) {
    for (int place = 0; place < MOST_ARMS; place++)
        if (!strcmp(arms[place].name, name))
            return &arms[place];
    return NULL;
}

static void forget(struct arm *on) {
    PQfinish(on->conn);
    free(on->conninfo);
    memset(on, 0, sizeof *on);
}

static void close_arm(struct arm *on) {
    printf("{\"ok\": true, \"transactions\": %ld, \"connections\": %ld}\n", on->transactions, on->connections);
    forget(on);
}

int main(int count, char **arguments) {
    if (count > 1 && !strcmp(arguments[1], "nothing"))
        return 0;
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0) {
        line[strcspn(line, "\n")] = 0;
        char *words[MOST_WORDS], *rest = line;
        int number = 0;
        while (number < MOST_WORDS && (words[number] = strsep(&rest, "\t")))
            number++;
        struct arm *on = number > 1 ? find(words[1]) : NULL;
        if (number == 1 && !strcmp(words[0], "hello"))
            hello();
        else if (number == 6 && !strcmp(words[0], "open") && (on || (on = find("")))) {
            if (open_arm(on, words))
                forget(on);
        } else if (number == 3 && !strcmp(words[0], "measure") && on)
            measure(on, atoi(words[2]));
        else if (number == 2 && !strcmp(words[0], "close") && on)
            close_arm(on);
        else
            fail("other", "there is no such command, or no such arm");
        fflush(stdout);
    }
    return 0;
}
