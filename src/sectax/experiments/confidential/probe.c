/*
 * Measures operations that are slower in confidential guests and sandboxes: the work of sysbench's tests, and system
 * calls, context switches, clock reads, page faults, loopback TCP, process start, RDTSC, CPUID.
 *
 * sectax builds it as a static program and sends it to every host. It stays alive between batches and keeps memory and
 * files of a test, so that batches may be short.
 *
 *   probe TEST COUNT BYTES   does COUNT operations, and prints a line:
 *                            sectax-probe 1 TEST COUNT NANOSECONDS CPU_NANOSECONDS
 *                            BYTES is the size of the memory tests' memory.
 *   probe serve MARK         prints 'MARK 0', then does the same for every line 'TEST COUNT BYTES' of its input,
 *                            followed by that line; ends at the end of its input, or if a test is not supported.
 *   probe run PROGRAM ...    runs a program, and prints a line after its output:
 *                            sectax-run 1 CPU_NANOSECONDS STEAL_NANOSECONDS   ('-' for unknown)
 *   probe cpuid              prints leaves of CPUID: LEAF EAX EBX ECX EDX, in hex
 *   probe nothing            does nothing
 *
 * Exit status: that of the program for `run`; 2 for wrong arguments; 3 if a test is not supported on this host, with the
 * reason on stderr. Times are from CLOCK_MONOTONIC on the host.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
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

enum { PAGE = 4096, LINE = 128, MIB = 1 << 20, PAGES_AT_ONCE = 8192, FILE_BLOCK = 16384, FILE_BLOCKS = 4096 };

static int64_t elapsed_ns, cpu_ns; /* between `begin` and `end` */
static int64_t began, cpu_began;
static volatile uint64_t sink; /* so that the compiler does not remove work */
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
    begin();
    for (int64_t i = 0; i < count; i++) sink ^= (uint64_t)syscall(SYS_getppid);
    end();
}

static void clock_reads(int64_t count, int64_t bytes) {
    struct timespec now;
    begin();
    for (int64_t i = 0; i < count; i++) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        sink ^= (uint64_t)now.tv_nsec;
    }
    end();
}

static void counter_reads(int64_t count, int64_t bytes) {
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
        cannot("the counter of this processor is not supported");
#endif
    }
    end();
}

static void cpuid_reads(int64_t count, int64_t bytes) {
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

/* The first touch of pages of 4 KiB; unmapping is not timed. */
static void page_faults(int64_t count, int64_t bytes) {
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

/* sysbench's loop (sb_cpu.c): all primes up to 10,000 by trial division. */
static void primes(int64_t count, int64_t bytes) {
    begin();
    for (int64_t i = 0; i < count; i++) {
        unsigned long long found = 0;
        for (unsigned long long number = 3; number < 10000; number++) {
            unsigned long long divisor = 2;
            while (divisor * divisor <= number && number % divisor != 0) divisor++;
            if (divisor * divisor > number) found++;
        }
        sink ^= found;
    }
    end();
}

/* Memory of a test, kept for its next batches; `is_new` if it was only filled. */
static char *kept_memory(int64_t bytes, bool *is_new) {
    static char *memory;
    static int64_t kept;
    *is_new = bytes != kept;
    if (!*is_new) return memory;
    if (kept) munmap(memory, kept);
    kept = 0;
    memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) cannot("mmap");
    memset(memory, 1, bytes);
    kept = bytes;
    return memory;
}

/* The next MiB of memory, in order across batches. */
static char *next_part(char *memory, int64_t bytes) {
    static int64_t at;
    at = at + 2 * MIB <= bytes ? at + MIB : 0;
    return memory + at;
}

static void memory_writes(int64_t count, int64_t bytes) {
    bool is_new;
    bytes = bytes > MIB ? bytes : MIB;
    char *memory = kept_memory(bytes, &is_new);
    begin();
    for (int64_t i = 0; i < count; i++) {
        volatile uint64_t *words = (volatile uint64_t *)next_part(memory, bytes);
        for (size_t at = 0; at < MIB / sizeof *words; at++) words[at] = (uint64_t)i;
    }
    end();
}

static void memory_bandwidth(int64_t count, int64_t bytes) {
    bool is_new;
    bytes = bytes > MIB ? bytes : MIB;
    char *memory = kept_memory(bytes, &is_new);
    uint64_t a = 0, b = 0, c = 0, d = 0;
    begin();
    for (int64_t i = 0; i < count; i++) {
        const uint64_t *words = (const uint64_t *)next_part(memory, bytes);
        for (size_t at = 0; at < MIB / sizeof *words; at += 4) {
            a += words[at], b += words[at + 1], c += words[at + 2], d += words[at + 3];
        }
    }
    end();
    sink ^= a ^ b ^ c ^ d;
}

/*
 * Dependent loads: a cycle through all lines in an order that no prefetcher predicts, that of a linear congruential
 * generator of full period (Knuth, TAOCP 3.2.1.2).
 */
static void memory_latency(int64_t count, int64_t bytes) {
    uint64_t lines = 2;
    while (lines * 2 * LINE <= (uint64_t)bytes) lines *= 2;
    static char *at;
    bool is_new;
    char *memory = kept_memory(lines * LINE, &is_new);
    if (is_new || !at) {
        at = memory;
        for (uint64_t line = 0; line < lines; line++)
            *(char **)(memory + line * LINE) = memory + ((line * 1664525 + 1013904223) & (lines - 1)) * LINE;
    }
    begin();
    for (int64_t i = 0; i < count; i++) at = *(char *volatile *)at;
    end();
    sink ^= (uintptr_t)at;
}

/* The open file of 64 MiB of the file tests. */
static int kept_file(int flags) {
    static int file = -1;
    static char zeros[MIB];
    if (file >= 0) return file;
    const char *name = "probe-files";
    int made = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (made < 0) cannot("open");
    for (int i = 0; i < FILE_BLOCKS / (MIB / FILE_BLOCK); i++)
        if (write(made, zeros, MIB) != MIB) cannot("write");
    if (fsync(made) != 0 || close(made) != 0) cannot("fsync");
    file = open(name, O_RDWR | O_CLOEXEC | flags);
    if (file < 0) cannot("open");
    unlink(name);
    return file;
}

static int64_t random_block(void) {
    static uint64_t state = 88172645463325252u; /* xorshift64: Marsaglia, 2003 */
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (int64_t)(state % FILE_BLOCKS) * FILE_BLOCK;
}

static void files(int64_t count, int flags, int writes_of_five, bool synced) {
    static _Alignas(PAGE) char block[FILE_BLOCK];
    int file = kept_file(flags);
    begin();
    for (int64_t i = 0; i < count; i++) {
        ssize_t done = i % 5 < writes_of_five ? pwrite(file, block, FILE_BLOCK, random_block())
                                              : pread(file, block, FILE_BLOCK, random_block());
        if (done != FILE_BLOCK || (synced && fsync(file) != 0)) cannot("the file");
    }
    end();
}

/* As sysbench's rndrw: three reads per two writes. */
static void files_cached(int64_t count, int64_t bytes) {
    files(count, 0, 2, false);
}

static void files_synced(int64_t count, int64_t bytes) {
    files(count, 0, 5, true);
}

static void files_direct(int64_t count, int64_t bytes) {
    files(count, O_DIRECT, 0, false);
}

static void file_syncs(int64_t count, int64_t bytes) {
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

/* --- with another thread --------------------------------------------------------------------------------------- */

enum { THREADS = 2, LOCKS = 4, YIELDS = 100, MUTEXES = 16, LOOPS = 100 };
static pthread_mutex_t locks[MUTEXES];
static pthread_barrier_t ready;

/* sysbench's loop (sb_threads.c): operations shared by the threads, each on the next lock. */
static void *yields(void *count) {
    pthread_barrier_wait(&ready);
    for (int64_t i = 0, own = *(int64_t *)count; i < own; i++)
        for (int turn = 0; turn < YIELDS; turn++) {
            pthread_mutex_lock(&locks[i % LOCKS]);
            sched_yield();
            pthread_mutex_unlock(&locks[i % LOCKS]);
        }
    return NULL;
}

/* sysbench's loop (sb_mutex.c): some work, then a random lock, in every thread. */
static void *takes(void *count) {
    static uint64_t counted[MUTEXES];
    uint32_t drawn = (uint32_t)(uintptr_t)count;
    pthread_barrier_wait(&ready);
    for (int64_t i = 0, own = *(int64_t *)count; i < own; i++) {
        for (volatile int turn = 0; turn < LOOPS; turn++) {}
        drawn = drawn * 1664525 + 1013904223;
        pthread_mutex_lock(&locks[drawn >> 28]);
        counted[drawn >> 28]++;
        pthread_mutex_unlock(&locks[drawn >> 28]);
    }
    return NULL;
}

static void with_threads(void *(*does)(void *), int64_t counts[THREADS]) {
    pthread_t started[THREADS];
    for (int i = 0; i < MUTEXES; i++) pthread_mutex_init(&locks[i], NULL);
    if (pthread_barrier_init(&ready, NULL, THREADS + 1) != 0) cannot("a barrier");
    for (int i = 0; i < THREADS; i++)
        if ((errno = pthread_create(&started[i], NULL, does, &counts[i])) != 0) cannot("a thread");
    begin(); /* the threads are at the barrier, or nearly */
    pthread_barrier_wait(&ready);
    for (int i = 0; i < THREADS; i++) pthread_join(started[i], NULL);
    end();
    pthread_barrier_destroy(&ready);
}

static void thread_yields(int64_t count, int64_t bytes) {
    with_threads(yields, (int64_t[THREADS]){count / 2, count - count / 2});
}

static void mutex_takes(int64_t count, int64_t bytes) {
    with_threads(takes, (int64_t[THREADS]){count, count});
}

/* --- with another process -------------------------------------------------------------------------------------- */

static cpu_set_t processors; /* before `share_a_processor` */

static void use_all_processors(void) {
    sched_setaffinity(0, sizeof processors, &processors);
}

/* Both processes on one processor, if possible, so that every answer is a context switch. */
static void share_a_processor(void) {
    cpu_set_t all, one;
    if (sched_getaffinity(0, sizeof all, &all) != 0) return;
    processors = all;
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
        if (i == 0) begin(); /* the first one is not timed: the other process may still be starting */
        if (write(to, &byte, 1) != 1 || read(from, &byte, 1) != 1) cannot("the other process");
    }
    end();
}

static void context_switches(int64_t count, int64_t bytes) {
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
    use_all_processors();
}

static void loopback(int64_t count, int64_t bytes) {
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
    close(connection), close(listening);
    waitpid(other, NULL, 0);
    use_all_processors();
}

static void process_starts(int64_t count, int64_t bytes) {
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
    {"cpu", primes},
    {"memory-write", memory_writes},
    {"memory-read", memory_bandwidth},
    {"fileio", files_cached},
    {"fileio-sync", files_synced},
    {"fileio-direct", files_direct},
    {"threads", thread_yields},
    {"mutex", mutex_takes},
    {"syscalls", system_calls},
    {"context-switch", context_switches},
    {"clock-read", clock_reads},
    {"page-fault", page_faults},
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
        struct rusage before, others; /* of the test's child processes */
        getrusage(RUSAGE_CHILDREN, &before);
        elapsed_ns = cpu_ns = 0;
        tests[i].does(count, bytes);
        getrusage(RUSAGE_CHILDREN, &others);
        printf("sectax-probe 1 %s %lld %lld %lld\n", name, (long long)count, (long long)elapsed_ns,
               (long long)(cpu_ns + used_ns(&others) - used_ns(&before)));
        return 0;
    }
    fprintf(stderr, "there is no test %s\n", name);
    return 2;
}

static int serve(const char *mark) {
    char line[256], name[41];
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* when its parent ends */
    for (;;) {
        printf("%s 0\n", mark);
        if (fflush(stdout) != 0) return 3;
        if (!fgets(line, sizeof line, stdin)) return 0;
        long long count, bytes;
        if (sscanf(line, "%40s %lld %lld", name, &count, &bytes) != 3 || count < 1 || bytes < 0) return 2;
        int status = test(name, count, bytes);
        if (status != 0) return status;
    }
}

/* Nanoseconds in which the hypervisor ran other guests, on all processors; negative if unknown. */
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
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* when its parent ends */
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
    if (argc == 3 && strcmp(argv[1], "serve") == 0) return serve(argv[2]);
    if (argc == 4 && atoll(argv[2]) > 0 && atoll(argv[3]) >= 0) return test(argv[1], atoll(argv[2]), atoll(argv[3]));
    fprintf(stderr, "probe TEST COUNT BYTES | serve MARK | run PROGRAM ... | cpuid | nothing\n");
    return 2;
}
