/*
 * Starts and times programs. sectax builds it into its cache; launcher.py is used without a C compiler.
 *
 * A process's peak memory includes that of the process that called exec (exec_mmap in the kernel's fs/exec.c), so
 * programs started by a Python with numpy would seem to need at least 30 MB, and their times would include the
 * interpreter's work. This program is small, static, and idle while a program runs.
 *
 * Lines of requests on stdin, lines of replies on stdout. Words are separated by blanks; TEXT is 'x' and bytes in hex.
 *
 *   hello                                        -> launcher 1 GRANULARITY_NS READ_NS
 *   environment TEXT...                          NAME=value to set in every program's environment; no reply
 *   program SLOT IN OUT ERR PATH ARGV0...        remember a program under SLOT 0 to 7; no reply
 *       IN TEXT; OUT and ERR '>'TEXT (truncated), '+'TEXT (appended); ERR also '-': the launcher's own stderr
 *   run PREPARE SLOT CONCLUDE TIMES STRICT DEADLINE_NS SPIN_NS   -> done RECORD... [END]
 *       PREPARE and CONCLUDE are a slot or '-'. STRICT 1: stop at the first status that is not 0.
 *       RECORD  WALL_NS,USER_US,SYSTEM_US,MAXRSS_KIB,VOLUNTARY,INVOLUNTARY,STATUS,LEFT
 *       END     reason to stop: late:SLOT, refused:SLOT:WHAT:ERRNO, status:SLOT:STATUS (of PREPARE or CONCLUDE)
 *   quit
 *
 * All started groups are killed at the end of stdin, and at SIGTERM, SIGINT and SIGHUP. Orphans in other groups
 * (setsid) become children of the launcher, and are killed after the execution.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SLOTS = 8, CLOCK_READINGS = 2000 };

struct program {
    char *input, *output, *errors; /* output and errors with a mark in front */
    char *path;
    char **argv;
};

struct ended {
    int64_t wall_ns;
    int status;
    bool late;
    const char *refused; /* unavailable resource; NULL if the program ran */
    int error;
    bool left;
    struct rusage usage;
};

extern char **environ;

static struct program programs[SLOTS];
static pid_t running, prepared; /* leaders of groups that may be alive; 0 for none */
static int signals = -1;
static sigset_t inherited, watched;

/* Written by the child of vfork, which shares our memory until exec. */
static volatile int exec_error;

static int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static _Noreturn void fail(const char *what) {
    printf("error %s\n", what);
    exit(2);
}

/* --- ending ---------------------------------------------------------------------------------------------------- */

/* Kill the group of an unreaped leader, whose ID cannot be reused yet, and reap it. Returns whether others were left. */
static bool sweep(pid_t leader, struct rusage *usage) {
    kill(-leader, SIGKILL);
    int status;
    while (wait4(leader, &status, 0, usage) < 0 && errno == EINTR)
        ;
    if (kill(-leader, 0) != 0) return false;
    /* Wait for the others, so that they do not end during the next execution. */
    struct timespec pause = {.tv_nsec = 1000000};
    for (int patience = 50; patience > 0 && kill(-leader, 0) == 0; patience--) nanosleep(&pause, NULL);
    return true;
}

/* Kill and reap inherited orphans; there must be no other child. */
static void sweep_inherited(void) {
    struct timespec pause = {.tv_nsec = 1000000};
    for (int patience = 500; patience > 0; patience--, nanosleep(&pause, NULL)) {
        pid_t gone;
        while ((gone = waitpid(-1, NULL, WNOHANG)) > 0)
            ;
        FILE *children = gone < 0 ? NULL : fopen("/proc/thread-self/children", "re");
        if (!children) return;
        int child;
        while (fscanf(children, "%d", &child) == 1) kill(child, SIGKILL);
        fclose(children);
    }
}

static _Noreturn void abandon(void) {
    struct rusage usage;
    if (running) sweep(running, &usage);
    if (prepared) sweep(prepared, &usage);
    sweep_inherited();
    _exit(1);
}

/* --- one execution --------------------------------------------------------------------------------------------- */

static int open_output(const char *marked) {
    if (marked[0] == '-') return STDERR_FILENO;
    int how = marked[0] == '>' ? O_TRUNC : O_APPEND;
    return open(marked + 1, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | how, 0666);
}

/* Become the program, in the child; only calls that are safe after vfork. */
static _Noreturn void become(const struct program *program, const int files[3], pid_t launcher, int64_t spin_ns) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != launcher) _exit(127);
    for (int fd = 0; fd < 3; fd++) dup2(files[fd], fd);
    signal(SIGPIPE, SIG_DFL);
    sigprocmask(SIG_SETMASK, &inherited, NULL);
    if (spin_ns > 0) {
        int64_t until = now_ns() + spin_ns;
        while (now_ns() < until)
            ;
    }
    execve(program->path, program->argv, environ);
    exec_error = errno;
    _exit(127);
}

static bool has_ended(pid_t pid, siginfo_t *info) {
    info->si_pid = 0;
    return waitid(P_PID, pid, info, WEXITED | WNOWAIT | WNOHANG) == 0 && info->si_pid == pid;
}

/* Wait for the program's end, the deadline, or sectax's end, without reaping. */
static void wait_for_end(int64_t began, int64_t deadline_ns, siginfo_t *info, struct ended *ended) {
    struct pollfd events[2] = {{.fd = signals, .events = POLLIN}, {.fd = STDIN_FILENO, .events = 0}};
    for (;;) {
        int64_t left = began + deadline_ns - now_ns();
        if (left <= 0) {
            ended->late = true;
            kill(-running, SIGKILL);
            while (waitid(P_PID, running, info, WEXITED | WNOWAIT) < 0 && errno == EINTR)
                ;
            ended->wall_ns = now_ns() - began;
            return;
        }
        struct timespec timeout = {.tv_sec = left / 1000000000, .tv_nsec = left % 1000000000};
        int ready = ppoll(events, 2, &timeout, NULL);
        ended->wall_ns = now_ns() - began;
        if (ready > 0 && events[1].revents) abandon();
        if (ready > 0 && events[0].revents) {
            struct signalfd_siginfo signal;
            if (read(signals, &signal, sizeof signal) == sizeof signal && signal.ssi_signo != SIGCHLD) abandon();
        }
        if (has_ended(running, info)) return;
    }
}

/* Run a program once; `running` is then its unreaped leader, unless it was refused. */
static void execute(const struct program *program, int64_t deadline_ns, int64_t spin_ns, struct ended *ended) {
    memset(ended, 0, sizeof *ended);
    const char *names[3] = {"input", "output", "errors"};
    int files[3] = {-1, -1, -1};
    files[0] = open(program->input, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (files[0] >= 0) files[1] = open_output(program->output);
    if (files[1] >= 0) files[2] = open_output(program->errors);
    for (int fd = 0; fd < 3 && !ended->refused; fd++)
        if (files[fd] < 0) ended->refused = names[fd], ended->error = errno;

    if (!ended->refused) {
        siginfo_t info = {0};
        pid_t launcher = getpid();
        exec_error = 0;
        sigprocmask(SIG_BLOCK, &watched, NULL);

        int64_t began = now_ns();
        pid_t pid = vfork();
        if (pid == 0) become(program, files, launcher, spin_ns);
        if (pid < 0) {
            ended->refused = "process", ended->error = errno;
        } else {
            running = pid;
            wait_for_end(began, deadline_ns, &info, ended);
            ended->status = info.si_code == CLD_EXITED ? info.si_status << 8 : info.si_status;
            if (exec_error) {
                ended->refused = "program", ended->error = exec_error;
                sweep(running, &ended->usage);
                running = 0;
            }
        }
        sigprocmask(SIG_UNBLOCK, &watched, NULL);
    }
    for (int fd = 0; fd < 3; fd++)
        if (files[fd] > STDERR_FILENO) close(files[fd]);
}

/* --- requests -------------------------------------------------------------------------------------------------- */

static char *word(void) {
    char *next = strtok(NULL, " \n");
    if (!next) fail("a request is too short");
    return next;
}

static int64_t number(void) {
    return strtoll(word(), NULL, 10);
}

static int slot(const char *text) {
    int number = text[0] - '0';
    if (number < 0 || number >= SLOTS || text[1]) fail("no such slot");
    return number;
}

static int digit(char text) {
    if (text >= '0' && text <= '9') return text - '0';
    if (text >= 'a' && text <= 'f') return text - 'a' + 10;
    fail("no hex digit");
}

/* Decode 'x' and hex digits, keeping a mark before the x. */
static char *text(const char *coded) {
    const char *hex = strchr(coded, 'x');
    if (!hex) return strdup(coded);
    size_t mark = hex - coded, length = strlen(hex + 1) / 2;
    char *plain = calloc(mark + length + 1, 1);
    if (!plain) fail("no memory");
    memcpy(plain, coded, mark);
    for (size_t i = 0; i < length; i++) plain[mark + i] = digit(hex[1 + 2 * i]) << 4 | digit(hex[2 + 2 * i]);
    return plain;
}

static void hello(void) {
    int64_t began = now_ns(), before = began, step = INT64_MAX;
    for (int i = 0; i < CLOCK_READINGS; i++) {
        int64_t now = now_ns();
        if (now > before && now - before < step) step = now - before;
        before = now;
    }
    printf("launcher 1 %lld %lld\n", (long long)step, (long long)(before - began) / CLOCK_READINGS);
}

static void define(void) {
    struct program *program = &programs[slot(word())];
    program->input = text(word());
    program->output = text(word());
    program->errors = text(word());
    program->path = text(word());
    size_t count = 0, room = 8;
    char **argv = malloc(room * sizeof *argv), *next;
    while (argv && (next = strtok(NULL, " \n"))) {
        if (count + 1 == room) argv = realloc(argv, (room *= 2) * sizeof *argv);
        if (argv) argv[count++] = text(next);
    }
    if (!argv) fail("no memory");
    argv[count] = NULL;
    program->argv = argv;
}

static void set_environment(void) {
    char *next;
    while ((next = strtok(NULL, " \n")))
        if (putenv(text(next)) != 0) fail("no memory");
}

static const struct program *defined(int slot) {
    if (!programs[slot].argv) fail("this slot is empty");
    return &programs[slot];
}

/* Print the reason to stop, if any. */
static bool stopped(int slot, const struct ended *ended) {
    if (ended->refused) printf(" refused:%d:%s:%d", slot, ended->refused, ended->error);
    else if (ended->late) printf(" late:%d", slot);
    return ended->refused || ended->late;
}

static void record(const struct ended *ended) {
    const struct rusage *usage = &ended->usage;
    printf(" %lld,%lld,%lld,%ld,%ld,%ld,%d,%d", (long long)ended->wall_ns,
           (long long)usage->ru_utime.tv_sec * 1000000 + usage->ru_utime.tv_usec,
           (long long)usage->ru_stime.tv_sec * 1000000 + usage->ru_stime.tv_usec, usage->ru_maxrss, usage->ru_nvcsw,
           usage->ru_nivcsw, ended->status, ended->left);
}

/* Run a preparation, whose processes live until the execution has ended. */
static bool prepare(int slot, int64_t deadline_ns) {
    struct ended ended;
    execute(defined(slot), deadline_ns, 0, &ended);
    prepared = running;
    running = 0;
    if (stopped(slot, &ended)) return false;
    if (ended.status) printf(" status:%d:%d", slot, ended.status);
    return ended.status == 0;
}

/* Run a conclusion. A failed execution has its own reason to stop, so nothing is printed then. */
static bool conclude(int slot, int64_t deadline_ns, bool print) {
    struct ended ended;
    execute(defined(slot), deadline_ns, 0, &ended);
    if (running) sweep(running, &ended.usage);
    running = 0;
    if (!print) return false;
    if (stopped(slot, &ended)) return false;
    if (ended.status) printf(" status:%d:%d", slot, ended.status);
    return ended.status == 0;
}

static bool once(const char *before, int slot_, const char *after, bool strict, int64_t deadline_ns, int64_t spin_ns) {
    struct ended ended;
    bool go_on = before[0] == '-' || prepare(slot(before), deadline_ns);
    if (go_on) {
        execute(defined(slot_), deadline_ns, spin_ns, &ended);
        if (running) ended.left = sweep(running, &ended.usage);
        running = 0;
        go_on = !stopped(slot_, &ended);
        if (go_on) record(&ended);
        if (strict && ended.status) go_on = false;
        if (after[0] != '-') go_on = conclude(slot(after), deadline_ns, go_on);
    }
    struct rusage unused;
    if (prepared) sweep(prepared, &unused);
    prepared = 0;
    sweep_inherited();
    return go_on;
}

static void run(void) {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    const char *before = word();
    int command = slot(word());
    const char *after = word();
    int64_t times = number();
    bool strict = number();
    int64_t deadline_ns = number(), spin_ns = number();
    printf("done");
    for (int64_t i = 0; i < times; i++)
        if (!once(before, command, after, strict, deadline_ns, spin_ns)) break;
    putchar('\n');
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "nothing") == 0) return 0; /* to measure the cost of launching */
    /* Programs inherit sectax's signal settings, except those that would break waiting or pipes. */
    struct sigaction children = {.sa_handler = SIG_DFL, .sa_flags = SA_NOCLDSTOP};
    sigaction(SIGCHLD, &children, NULL);
    signal(SIGPIPE, SIG_IGN);
    sigemptyset(&watched);
    sigaddset(&watched, SIGCHLD);
    sigaddset(&watched, SIGTERM);
    sigaddset(&watched, SIGINT);
    sigaddset(&watched, SIGHUP);
    sigprocmask(SIG_UNBLOCK, &watched, NULL);
    sigprocmask(SIG_SETMASK, NULL, &inherited);
    signals = signalfd(-1, &watched, SFD_CLOEXEC);
    if (signals < 0) fail("no signalfd");

    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0) {
        const char *request = strtok(line, " \n");
        if (!request) continue;
        if (strcmp(request, "quit") == 0) return 0;
        else if (strcmp(request, "hello") == 0) hello();
        else if (strcmp(request, "environment") == 0) set_environment();
        else if (strcmp(request, "program") == 0) define();
        else if (strcmp(request, "run") == 0) run();
        else fail("unknown request");
        fflush(stdout);
    }
    return 0;
}
