/*
 * Measures what confidential guests and sandboxes really make dear, and what sysbench does not show: system calls,
 * context switches, clock reads, page faults, memory past the cache, loopback TCP, fsync, process start, RDTSC, CPUID.
 *
 * sectax builds it once as a static program and sends it to every host. Every batch is a process of its own.
 *
 *   probe TEST COUNT BYTES   does COUNT operations, and prints one line:
 *                            sectax-probe 1 TEST COUNT NANOSECONDS CPU_NANOSECONDS
 *                            BYTES is the size of the memory that the memory tests walk through.
 *   probe run PROGRAM ...    runs a program; after its output prints what it used:
 *                            sectax-run 1 CPU_NANOSECONDS STEAL_NANOSECONDS   ('-' where the kernel does not say)
 *   probe cpuid              prints leaves of CPUID: LEAF EAX EBX ECX EDX, in hex
 *   probe nothing            does nothing
 *
 * Exit status: that of the program that `run` runs; 2 for wrong words; 3 where a test cannot be done on this host, with
 * the reason on stderr. Times are CLOCK_MONOTONIC's on the host that does the work. No other clock is involved.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

enum { PAGE = 4096, LINE = 128, MIB = 1 << 20, PAGES_AT_ONCE = 8192 };

static int64_t elapsed_ns, cpu_ns; /* of all that was between `begin` and `end` */
static int64_t began, cpu_began;
static volatile uint64_t sink; /* keeps the compiler from leaving work out */
static const char *own_path;

static int64_t read_ns(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void begin(void) {
    cpu_began = read_ns(CLOCK_PROCESS_CPUTIME_ID);
    began = read_ns(CLOCK_MONOTONIC);
}

static void end(void) {
    elapsed_ns += read_ns(CLOCK_MONOTONIC) - began;
    cpu_ns += read_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_began;
}

static _Noreturn void cannot(const char *what) {
    fprintf(stderr, "%s: %s\n", what, strerror(errno));
    exit(3);
}

/* --- without other processes ----------------------------------------------------------------------------------- */

static void system_calls(int64_t count, int64_t bytes) {
    (void)bytes;
    begin();
    for (int64_t i = 0; i < count; i++) sink ^= (uint64_t)syscall(SYS_getppid);
    end();
}

static void clock_reads(int64_t count, int64_t bytes) {
    (void)bytes;
    struct timespec now;
    begin();
    for (int64_t i = 0; i < count; i++) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        sink ^= (uint64_t)now.tv_nsec;
    }
    end();
}

static void counter_reads(int64_t count, int64_t bytes) {
    (void)bytes;
    begin();
    for (int64_t i = 0; i < count; i++) {
#if defined(__x86_64__)
        sink ^= __rdtsc();
#elif defined(__aarch64__)
        uint64_t ticks;
        __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
        sink ^= ticks;
#else
        errno = ENOSYS;
        cannot("this processor has no counter that is known here");
#endif
    }
    end();
}

static void cpuid_reads(int64_t count, int64_t bytes) {
    (void)bytes;
#if defined(__x86_64__)
    unsigned a, b, c, d;
    begin();
    for (int64_t i = 0; i < count; i++) {
        __cpuid(0, a, b, c, d);
        sink ^= a ^ b ^ c ^ d;
    }
    end();
#else
    (void)count;
    errno = ENOSYS;
    cannot("this processor has no CPUID");
#endif
}

/* The first touch of every page of fresh memory, in pages of 4 KiB: giving it back is not timed. */
static void page_faults(int64_t count, int64_t bytes) {
    (void)bytes;
    for (int64_t done = 0; done < count; done += PAGES_AT_ONCE) {
        int64_t pages = count - done < PAGES_AT_ONCE ? count - done : PAGES_AT_ONCE;
        char *memory = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) cannot("mmap");
        madvise(memory, pages * PAGE, MADV_NOHUGEPAGE);
        begin();
        for (int64_t page = 0; page < pages; page++) ((volatile char *)memory)[page * PAGE] = 1;
        end();
        munmap(memory, pages * PAGE);
    }
}

static char *filled(int64_t bytes) {
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) cannot("mmap");
    memset(memory, 1, bytes);
    return memory;
}

static void memory_bandwidth(int64_t count, int64_t bytes) {
    int64_t parts = bytes / MIB > 0 ? bytes / MIB : 1;
    const char *memory = filled(parts * MIB);
    uint64_t a = 0, b = 0, c = 0, d = 0;
    begin();
    for (int64_t i = 0; i < count; i++) {
        const uint64_t *words = (const uint64_t *)(memory + i % parts * MIB);
        for (size_t at = 0; at < MIB / sizeof *words; at += 4) {
            a += words[at], b += words[at + 1], c += words[at + 2], d += words[at + 3];
        }
    }
    end();
    sink ^= a ^ b ^ c ^ d;
}

/*
 * Loads that each need the one before: one cycle through all lines in an order that no prefetcher foresees, that of a
 * linear congruential generator of full period (Knuth, TAOCP 3.2.1.2), so that it is written in one pass.
 */
static void memory_latency(int64_t count, int64_t bytes) {
    uint64_t lines = 2;
    while (lines * 2 * LINE <= (uint64_t)bytes) lines *= 2;
    char *memory = mmap(NULL, lines * LINE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) cannot("mmap");
    for (uint64_t line = 0; line < lines; line++)
        *(char **)(memory + line * LINE) = memory + ((line * 1664525 + 1013904223) & (lines - 1)) * LINE;
    char *at = memory;
    begin();
    for (int64_t i = 0; i < count; i++) at = *(char *volatile *)at;
    end();
    sink ^= (uintptr_t)at;
}

static void file_syncs(int64_t count, int64_t bytes) {
    (void)bytes;
    static char page[PAGE];
    enum { PLACES = 256 };
    const char *name = "probe-fsync";
    int file = open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0) cannot("open");
    for (int i = 0; i < PLACES; i++)
        if (pwrite(file, page, PAGE, (off_t)i * PAGE) != PAGE) cannot("write");
    if (fsync(file) != 0) cannot("fsync");
    begin();
    for (int64_t i = 0; i < count; i++) {
        page[0] = (char)i;
        if (pwrite(file, page, PAGE, i % PLACES * PAGE) != PAGE) cannot("write");
        if (fsync(file) != 0) cannot("fsync");
    }
    end();
    close(file);
    unlink(name);
}

/* --- with another process -------------------------------------------------------------------------------------- */

/* Both sides on one processor, so that every answer is a switch; a host that cannot do that does without. */
static void share_a_processor(void) {
    cpu_set_t all, one;
    if (sched_getaffinity(0, sizeof all, &all) != 0) return;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &all)) {
            CPU_ZERO(&one);
            CPU_SET(cpu, &one);
            sched_setaffinity(0, sizeof one, &one);
            return;
        }
}

static void echo(int from, int to) {
    char byte;
    while (read(from, &byte, 1) == 1)
        if (write(to, &byte, 1) != 1) break;
    _exit(0);
}

static void there_and_back(int64_t count, int to, int from) {
    char byte = 0;
    for (int64_t i = -1; i < count; i++) {
        if (i == 0) begin(); /* the one before is not timed: the other side may still have been starting */
        if (write(to, &byte, 1) != 1 || read(from, &byte, 1) != 1) cannot("the other side");
    }
    end();
}

static void context_switches(int64_t count, int64_t bytes) {
    (void)bytes;
    int there[2], back[2];
    if (pipe(there) != 0 || pipe(back) != 0) cannot("pipe");
    share_a_processor();
    pid_t other = fork();
    if (other < 0) cannot("fork");
    if (other == 0) {
        close(there[1]), close(back[0]);
        echo(there[0], back[1]);
    }
    close(there[0]), close(back[1]);
    there_and_back(count, there[1], back[0]);
    close(there[1]);
    waitpid(other, NULL, 0);
}

static void loopback(int64_t count, int64_t bytes) {
    (void)bytes;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int one = 1, listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listening < 0 || bind(listening, (struct sockaddr *)&address, size) != 0 || listen(listening, 1) != 0 ||
        getsockname(listening, (struct sockaddr *)&address, &size) != 0)
        cannot("loopback");
    share_a_processor();
    pid_t other = fork();
    if (other < 0) cannot("fork");
    if (other == 0) {
        int caller = accept(listening, NULL, NULL);
        if (caller < 0) _exit(1);
        setsockopt(caller, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        echo(caller, caller);
    }
    int connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connection < 0 || connect(connection, (struct sockaddr *)&address, size) != 0) cannot("loopback");
    setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    there_and_back(count, connection, connection);
    close(connection);
    waitpid(other, NULL, 0);
}

static void process_starts(int64_t count, int64_t bytes) {
    (void)bytes;
    char *words[] = {(char *)own_path, "nothing", NULL};
    begin();
    for (int64_t i = 0; i < count; i++) {
        pid_t child = fork();
        if (child < 0) cannot("fork");
        if (child == 0) {
            execv(own_path, words);
            _exit(127);
        }
        int status;
        if (waitpid(child, &status, 0) != child || status != 0) {
            errno = status ? ENOEXEC : ECHILD;
            cannot("a process");
        }
    }
    end();
}

/* --- words ----------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*does)(int64_t count, int64_t bytes);
} tests[] = {
    {"syscalls", system_calls},
    {"context-switch", context_switches},
    {"clock-read", clock_reads},
    {"page-fault", page_faults},
    {"memory-bandwidth", memory_bandwidth},
    {"memory-latency", memory_latency},
    {"loopback", loopback},
    {"fsync", file_syncs},
    {"process-start", process_starts},
    {"rdtsc", counter_reads},
    {"cpuid", cpuid_reads},
};

static int64_t used_ns(const struct rusage *usage) {
    int64_t seconds = (int64_t)usage->ru_utime.tv_sec + usage->ru_stime.tv_sec;
    return seconds * 1000000000 + ((int64_t)usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) * 1000;
}

static int test(const char *name, int64_t count, int64_t bytes) {
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        if (strcmp(tests[i].name, name) != 0) continue;
        tests[i].does(count, bytes);
        struct rusage others; /* processes that the test has started and waited for */
        getrusage(RUSAGE_CHILDREN, &others);
        printf("sectax-probe 1 %s %lld %lld %lld\n", name, (long long)count, (long long)elapsed_ns,
               (long long)(cpu_ns + used_ns(&others)));
        return fflush(stdout) == 0 ? 0 : 3;
    }
    fprintf(stderr, "there is no test %s\n", name);
    return 2;
}

/* Nanoseconds in which the hypervisor ran somebody else, all processors together; negative where it is not known. */
static int64_t steal_ns(void) {
    FILE *file = fopen("/proc/stat", "re");
    long long steal = -1;
    if (file) {
        if (fscanf(file, "cpu %*d %*d %*d %*d %*d %*d %*d %lld", &steal) != 1) steal = -1;
        fclose(file);
    }
    return steal < 0 ? -1 : (int64_t)steal * 1000000000 / sysconf(_SC_CLK_TCK);
}

static int run(char **words) {
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* whoever asked for it is gone */
    int64_t before = steal_ns();
    pid_t parent = getpid(), child = fork();
    if (child < 0) cannot("fork");
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) _exit(127);
        execvp(words[0], words);
        fprintf(stderr, "%s: %s\n", words[0], strerror(errno));
        _exit(127);
    }
    int status;
    struct rusage used;
    while (wait4(child, &status, 0, &used) < 0)
        if (errno != EINTR) cannot("wait");
    int64_t after = steal_ns();
    printf("\nsectax-run 1 %lld ", (long long)used_ns(&used));
    if (before < 0 || after < before) printf("-\n");
    else printf("%lld\n", (long long)(after - before));
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int leaves(void) {
#if defined(__x86_64__)
    static const unsigned asked[] = {0,          1,          0x21,       0x40000000, 0x40000003,
                                     0x4000000c, 0x80000000, 0x80000008, 0x8000001f};
    unsigned top = 0;
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        unsigned leaf = asked[i], a, b, c, d;
        if ((leaf & 0xffff) == 0) {
            __cpuid(leaf, a, b, c, d);
            top = a;
        } else {
            if ((leaf & 0xf0000000) != (top & 0xf0000000) || leaf > top) continue;
            __cpuid_count(leaf, 0, a, b, c, d);
        }
        printf("%08x %08x %08x %08x %08x\n", leaf, a, b, c, d);
    }
    return 0;
#else
    return 3;
#endif
}

int main(int argc, char **argv) {
    own_path = argv[0];
    signal(SIGPIPE, SIG_IGN);
    if (argc == 2 && strcmp(argv[1], "nothing") == 0) return 0;
    if (argc == 2 && strcmp(argv[1], "cpuid") == 0) return leaves();
    if (argc > 2 && strcmp(argv[1], "run") == 0) return run(argv + 2);
    if (argc == 4 && atoll(argv[2]) > 0 && atoll(argv[3]) >= 0) return test(argv[1], atoll(argv[2]), atoll(argv[3]));
    fprintf(stderr, "probe TEST COUNT BYTES | run PROGRAM ... | cpuid | nothing\n");
    return 2;
}
