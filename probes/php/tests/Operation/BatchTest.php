<?php

declare(strict_types=1);

namespace Sectax\Probe\Tests\Operation;

use Closure;
use PHPUnit\Framework\TestCase;
use Sectax\Probe\Operation\Batch;

final class BatchTest extends TestCase
{
    public function testEveryOperationIsRunAndEveryResultIsLookedAt(): void
    {
        foreach ([[Batch::together(...), 1], [Batch::oneByOne(...), 10]] as [$time, $numbers]) {
            $calls = 0;
            $batch = $time(self::wrongEveryThirdTime($calls), 10);

            self::assertSame(10, $calls);
            self::assertSame(3, $batch->failures);
            self::assertSame(7 * 5, $batch->bytes);
            self::assertCount($numbers, $batch->elapsed);
            self::assertSame($batch->elapsed, array_filter($batch->elapsed, is_int(...)));
        }
    }

    public function testNoOperationIsRunWhereNoneIsAskedFor(): void
    {
        $calls = 0;
        $operation = self::wrongEveryThirdTime($calls);
        Batch::together($operation, 0);
        $batch = Batch::oneByOne($operation, 0);

        self::assertSame(0, $calls);
        self::assertSame([], $batch->elapsed);
    }

    public function testTheTimeIsThatOfTheOperations(): void
    {
        $slow = static function (): string {
            usleep(2000);

            return '';
        };

        self::assertGreaterThanOrEqual(10_000_000, Batch::together($slow, 5)->elapsed[0]);
        self::assertGreaterThanOrEqual(2_000_000, min(Batch::oneByOne($slow, 5)->elapsed));
        self::assertLessThan(10_000_000, Batch::together(static fn (): string => '', 5)->elapsed[0]);
    }

    public function testTheCpuTimeIsThatOfTheOperationsAndNotOfWaiting(): void
    {
        $waits = static function (): string {
            usleep(10_000);

            return '';
        };
        $works = static function (): string {
            return hash('sha256', str_repeat('x', 1_000_000));
        };

        self::assertLessThan(15_000_000, Batch::together($waits, 3)->cpu);
        self::assertGreaterThan(1_000_000, Batch::together($works, 10)->cpu);
        self::assertNull(Batch::oneByOne($works, 2)->cpu);
    }

    private static function wrongEveryThirdTime(int &$calls): Closure
    {
        return static function () use (&$calls): ?string {
            return ++$calls % 3 === 0 ? null : '12345';
        };
    }
}
