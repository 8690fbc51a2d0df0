<?php

declare(strict_types=1);

namespace Sectax\Probe;

use function hrtime;

/** The clock that times the batches, hrtime(true), as measured here and now. Takes well under 1 ms. */
final class Clock
{
    private const PAIRS = 2001;

    /**
     * @param int $granularityNs the smallest step above zero seen between two readings
     * @param int $readNs        the median cost of a reading, at least 1
     */
    private function __construct(public readonly int $granularityNs, public readonly int $readNs)
    {
    }

    public static function measure(): self
    {
        $steps = array_fill(0, self::PAIRS, 0);
        $begin = hrtime(true);
        for ($i = 0; $i < self::PAIRS; ++$i) {
            $first = hrtime(true);
            $second = hrtime(true);
            $steps[$i] = $second - $first;
        }
        $end = hrtime(true);

        sort($steps);
        $read = $steps[intdiv(self::PAIRS, 2)];
        if ($read === 0) { // a coarse clock: most readings see no step, so share out the whole
            $read = max(1, intdiv($end - $begin, 2 * self::PAIRS));
        }

        return new self(self::smallestAboveZero($steps) ?? self::waitForStep(), $read);
    }

    /** @param list<int> $sorted */
    private static function smallestAboveZero(array $sorted): ?int
    {
        foreach ($sorted as $step) {
            if ($step > 0) {
                return $step;
            }
        }

        return null;
    }

    private static function waitForStep(): int
    {
        $before = hrtime(true);
        do {
            $now = hrtime(true);
        } while ($now === $before);

        return $now - $before;
    }
}
