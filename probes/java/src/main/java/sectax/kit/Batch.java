package sectax.kit;

import java.util.concurrent.atomic.AtomicInteger;

/** Operations timed together. */
record Batch(long elapsed, long cpu, long failures, long bytes) {
    private static final AtomicInteger LAST = new AtomicInteger();

    /** The CPU clock is read outside, since a reading of it takes longer. */
    static Batch of(Operation operation, long count) throws Exception {
        long failures = 0, bytes = 0;
        long cpuBefore = Clock.cpu();
        long before = System.nanoTime();
        for (long index = 0; index < count; index++) {
            int made = operation.run();
            LAST.setOpaque(made); // so that the compiler leaves no call out
            if (made == Operation.WRONG) failures++;
            else bytes += made;
        }
        long elapsed = System.nanoTime() - before;
        return new Batch(elapsed, Clock.cpu() - cpuBefore, failures, bytes);
    }
}
