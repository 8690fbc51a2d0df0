<?php

declare(strict_types=1);

namespace Sectax\Probe\Operation;

use Closure;
use Sectax\Probe\CpuClock;

use function array_fill;
use function hrtime;
use function strlen;

/**
 * The timed loops, and what came out of one.
 *
 * Every operation goes through the same two loops, the empty one too. Functions are imported so that PHP binds them
 * when it compiles: a call that is looked up by namespace first costs more than the loop itself.
 */
final class Batch
{
    /**
     * @param list<int> $elapsed nanoseconds: one number for the whole batch, or one for each operation
     * @param int|null  $cpu     nanoseconds of CPU time of the whole batch; null where operations are timed one by one
     */
    private function __construct(
        public readonly array $elapsed,
        public readonly int $failures,
        public readonly int $bytes,
        public readonly ?int $cpu = null,
    ) {
    }

    /**
     * Time $count operations together.
     *
     * @param Closure(): ?string $run
     *
     * The CPU clock is read outside of the wall clock's readings, since a reading of it takes far longer.
     */
    public static function together(Closure $run, int $count): self
    {
        $failures = 0;
        $bytes = 0;
        $cpuStart = CpuClock::read();
        $start = hrtime(true);
        for ($i = 0; $i < $count; ++$i) {
            $product = $run();
            if ($product === null) {
                ++$failures;
            } else {
                $bytes += strlen($product);
            }
        }
        $stop = hrtime(true);
        $cpuStop = CpuClock::read();

        return new self([$stop - $start], $failures, $bytes, CpuClock::between($cpuStart, $cpuStop));
    }

    /**
     * Time $count operations one by one; the result is looked at after the clock was read.
     *
     * @param Closure(): ?string $run
     */
    public static function oneByOne(Closure $run, int $count): self
    {
        $failures = 0;
        $bytes = 0;
        $elapsed = $count > 0 ? array_fill(0, $count, 0) : [];
        for ($i = 0; $i < $count; ++$i) {
            $start = hrtime(true);
            $product = $run();
            $stop = hrtime(true);
            $elapsed[$i] = $stop - $start;
            if ($product === null) {
                ++$failures;
            } else {
                $bytes += strlen($product);
            }
        }

        return new self($elapsed, $failures, $bytes);
    }
}
