<?php

declare(strict_types=1);

namespace Sectax\Probe;

use function function_exists;
use function getrusage;

/**
 * The clock of this process's CPU time: getrusage(), user and system time together.
 *
 * PHP's core has no finer one: hrtime() is a wall clock, and clock_gettime() is out of reach without an extension. The
 * kernel keeps the sum of both times exactly and hands each out in whole microseconds, so a difference of two readings
 * is off by 2 microseconds at most.
 */
final class CpuClock
{
    public const NAME = 'getrusage';

    private const READINGS = 2000;

    /**
     * @param int $granularityNs the smallest step above zero seen between two readings
     * @param int $readNs        the mean CPU time of a reading, at least 1
     */
    private function __construct(public readonly int $granularityNs, public readonly int $readNs)
    {
    }

    /** The clock as measured here and now; null where php.ini has disabled it. Takes under 10 ms. */
    public static function measure(): ?self
    {
        if (!self::exists()) {
            return null;
        }
        $smallest = PHP_INT_MAX;
        for ($i = 0; $i < self::READINGS; ++$i) {
            $step = self::between(self::read(), self::read());
            if ($step > 0 && $step < $smallest) {
                $smallest = $step;
            }
        }
        // One reading is seldom longer than a step, so the cost of many is shared out.
        $begin = self::read();
        for ($i = 0; $i < self::READINGS; ++$i) {
            self::read();
        }
        $whole = self::between($begin, self::read());

        return new self($smallest, max(1, intdiv($whole, self::READINGS)));
    }

    public static function exists(): bool
    {
        return function_exists('getrusage');
    }

    /**
     * A reading as it comes; it is only unpacked after the timed region.
     *
     * @return array<string, int>|null null where php.ini has disabled it
     */
    public static function read(): ?array
    {
        return self::exists() ? getrusage() : null;
    }

    /**
     * Nanoseconds of CPU time between two readings.
     *
     * @param array<string, int>|null $before
     * @param array<string, int>|null $after
     */
    public static function between(?array $before, ?array $after): ?int
    {
        if ($before === null || $after === null) {
            return null;
        }

        return (self::microseconds($after) - self::microseconds($before)) * 1000;
    }

    /** @param array<string, int> $reading */
    private static function microseconds(array $reading): int
    {
        return ($reading['ru_utime.tv_sec'] + $reading['ru_stime.tv_sec']) * 1_000_000
            + $reading['ru_utime.tv_usec'] + $reading['ru_stime.tv_usec'];
    }
}
