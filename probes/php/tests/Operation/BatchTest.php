<?php

declare(strict_types=1);

namespace Sectax\Probe\Tests\Operation;

use PHPUnit\Framework\TestCase;
use Sectax\Probe\Operation\Batch;
use Sectax\Probe\Operation\EmptyOperation;
use Sectax\Probe\Operation\Operation;

final class BatchTest extends TestCase
{
    public function testEveryOperationIsRunAndEveryResultIsLookedAt(): void
    {
        foreach ([[Batch::together(...), 1], [Batch::oneByOne(...), 10]] as [$time, $numbers]) {
            $operation = self::wrongEveryThirdTime();
            $batch = $time($operation, 10);

            self::assertSame(10, $operation->calls);
            self::assertSame(3, $batch->failures);
            self::assertSame(7 * 5, $batch->bytes);
            self::assertCount($numbers, $batch->elapsed);
            self::assertSame($batch->elapsed, array_filter($batch->elapsed, is_int(...)));
        }
    }

    public function testNoOperationIsRunWhereNoneIsAskedFor(): void
    {
        $operation = self::wrongEveryThirdTime();
        Batch::together($operation, 0);
        $batch = Batch::oneByOne($operation, 0);

        self::assertSame(0, $operation->calls);
        self::assertSame([], $batch->elapsed);
    }

    public function testTheTimeIsThatOfTheOperations(): void
    {
        $slow = new class implements Operation {
            public function run(): ?string
            {
                usleep(2000);

                return '';
            }
        };

        self::assertGreaterThanOrEqual(10_000_000, Batch::together($slow, 5)->elapsed[0]);
        self::assertGreaterThanOrEqual(2_000_000, min(Batch::oneByOne($slow, 5)->elapsed));
        self::assertLessThan(10_000_000, Batch::together(new EmptyOperation(), 5)->elapsed[0]);
    }

    public function testTheCpuTimeIsThatOfTheOperationsAndNotOfWaiting(): void
    {
        $waits = new class implements Operation {
            public function run(): ?string
            {
                usleep(10_000);

                return '';
            }
        };
        $works = new class implements Operation {
            public function run(): ?string
            {
                return hash('sha256', str_repeat('x', 1_000_000));
            }
        };

        self::assertLessThan(15_000_000, Batch::together($waits, 3)->cpu);
        self::assertGreaterThan(1_000_000, Batch::together($works, 10)->cpu);
        self::assertNull(Batch::oneByOne($works, 2)->cpu);
    }

    private static function wrongEveryThirdTime(): Operation
    {
        return new class implements Operation {
            public int $calls = 0;

            public function run(): ?string
            {
                return ++$this->calls % 3 === 0 ? null : '12345';
            }
        };
    }
}
