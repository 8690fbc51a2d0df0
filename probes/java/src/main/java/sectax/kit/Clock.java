package sectax.kit;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.stream.LongStream;

/** Reads the CPU clock, and tries clocks; all in nanoseconds. */
final class Clock {
    private static final int PROCESS = 2; // CLOCK_PROCESS_CPUTIME_ID of Linux
    private static final Memory NOW = new Memory(16);

    static {
        Native.register(Clock.class, "c");
    }

    private static native int clock_gettime(int clock, Pointer now);

    /** Of all threads, the compiler's and the garbage collector's too. Java's own counts in steps of 10 ms. */
    static long cpu() {
        if (clock_gettime(PROCESS, NOW) != 0) throw new IllegalStateException("Linux has this clock");
        return NOW.getLong(0) * 1_000_000_000 + NOW.getLong(8);
    }

    /** The smallest step above zero of a clock, and the median cost of a reading. */
    static Map<String, Object> describe(String name, LongSupplier read) {
        long[] steps = LongStream.range(0, 4000)
                .map(index -> -read.getAsLong() + read.getAsLong())
                .skip(2000) // they warm up
                .sorted()
                .toArray();
        long step = LongStream.of(steps).filter(each -> each > 0).findFirst().orElseThrow();
        return Map.of("name", name, "granularity_ns", step, "read_ns", steps[steps.length / 2]);
    }
}
