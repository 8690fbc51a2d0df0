<?php

declare(strict_types=1);

namespace Sectax\Probe\Kit;

use Closure;

/** The timed loops and the clocks. Functions have their full names: to look one up costs more than the loop itself. */
final class Timing
{
    /** Time $count operations together. The CPU clock is read outside, since a reading of it takes far longer. */
    public static function together(Closure $run, int $count): array
    {
        $failures = 0;
        $bytes = 0;
        $cpuStart = self::cpu();
        $start = \hrtime(true);
        for ($i = 0; $i < $count; ++$i) {
            $product = $run();
            if ($product === null) {
                ++$failures;
            } else {
                $bytes += \strlen($product);
            }
        }
        $stop = \hrtime(true);
        $cpuStop = self::cpu();
        $cpu = self::between($cpuStart, $cpuStop);
        return ['elapsed_ns' => [$stop - $start], 'failures' => $failures, 'bytes' => $bytes ?: null, 'cpu_ns' => $cpu];
    }

    /** Time $count operations one by one; the result is looked at after the clock was read. */
    public static function oneByOne(Closure $run, int $count): array
    {
        $failures = 0;
        $bytes = 0;
        $elapsed = $count > 0 ? \array_fill(0, $count, 0) : [];
        for ($i = 0; $i < $count; ++$i) {
            $start = \hrtime(true);
            $product = $run();
            $stop = \hrtime(true);
            $elapsed[$i] = $stop - $start;
            if ($product === null) {
                ++$failures;
            } else {
                $bytes += \strlen($product);
            }
        }
        return ['elapsed_ns' => $elapsed, 'failures' => $failures, 'bytes' => $bytes ?: null, 'cpu_ns' => null];
    }

    /** What the clocks are worth; the second is missing where php.ini has disabled it. */
    public static function clocks(): array
    {
        $clocks = ['clock' => self::describe('hrtime', static fn (): int => -\hrtime(true) + \hrtime(true))];
        $step = static fn (): int => self::between(self::cpu(), self::cpu());
        return $clocks + (self::cpu() === null ? [] : ['cpu_clock' => self::describe('getrusage', $step)]);
    }

    /** Of the steps between two readings the smallest above zero, and the median; of coarse ones the mean. */
    private static function describe(string $name, Closure $step): array
    {
        for ($steps = []; \count($steps) < 2001 || \max($steps) === 0; $steps[] = $step());
        \sort($steps);
        [$smallest, $median] = [\current(\array_filter($steps)), $steps[\intdiv(\count($steps), 2)]];
        $read = $median > $smallest ? $median : \max(1, \intdiv(\array_sum($steps), \count($steps)));
        return ['name' => $name, 'granularity_ns' => $smallest, 'read_ns' => $read];
    }

    /** User and system time of this process: PHP's core has no finer clock. Unpacked after the timed region. */
    private static function cpu(): ?array
    {
        return \function_exists('getrusage') ? \getrusage() : null;
    }

    /** Nanoseconds between two readings, off by 2 microseconds at most. */
    private static function between(?array $before, ?array $after): ?int
    {
        $sum = static fn (array $read): int => ($read['ru_utime.tv_sec'] + $read['ru_stime.tv_sec']) * 1_000_000
            + $read['ru_utime.tv_usec'] + $read['ru_stime.tv_usec'];
        return $before === null || $after === null ? null : ($sum($after) - $sum($before)) * 1000;
    }
}
