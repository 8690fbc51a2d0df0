<?php

declare(strict_types=1);

namespace Sectax\Probe\Tests\Kit;

use PHPUnit\Framework\TestCase;
use Sectax\Probe\Kit\Timing;

final class TimingTest extends TestCase
{
    public function testEveryOperationIsRunAndEveryResultIsLookedAt(): void
    {
        foreach ([[Timing::together(...), 1], [Timing::oneByOne(...), 10]] as [$time, $numbers]) {
            $calls = 0;
            $run = static function () use (&$calls): ?string {
                return ++$calls % 3 === 0 ? null : '12345';
            };
            $batch = $time($run, 10);

            self::assertSame(10, $calls);
            self::assertSame([3, 7 * 5], [$batch['failures'], $batch['bytes']]);
            self::assertCount($numbers, $batch['elapsed_ns']);
            self::assertSame($batch['elapsed_ns'], array_filter($batch['elapsed_ns'], is_int(...)));
            $time($run, 0);
            self::assertSame(10, $calls);
        }
    }

    public function testTheTimeIsThatOfTheOperationsAndTheCpuTimeNotOfWaiting(): void
    {
        $waits = static function (): string {
            usleep(10_000);

            return '';
        };
        $works = static fn (): string => hash('sha256', str_repeat('x', 1_000_000));
        $waiting = Timing::together($waits, 3);

        self::assertGreaterThanOrEqual(30_000_000, $waiting['elapsed_ns'][0]);
        self::assertGreaterThanOrEqual(10_000_000, min(Timing::oneByOne($waits, 3)['elapsed_ns']));
        self::assertLessThan(10_000_000, Timing::together(static fn (): string => '', 5)['elapsed_ns'][0]);
        self::assertLessThan(15_000_000, $waiting['cpu_ns']);
        self::assertGreaterThan(1_000_000, Timing::together($works, 10)['cpu_ns']);
        self::assertNull(Timing::oneByOne($works, 2)['cpu_ns']);
    }

    public function testClocksHaveStepsAndCosts(): void
    {
        foreach (Timing::clocks() as $clock) {
            self::assertGreaterThan(0, min($clock['granularity_ns'], $clock['read_ns']));
            self::assertLessThan(10_000_000, $clock['granularity_ns']);
            self::assertLessThan(1_000_000, $clock['read_ns']);
        }
    }
}
