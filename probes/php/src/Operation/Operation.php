<?php

declare(strict_types=1);

namespace Sectax\Probe\Operation;

/**
 * The thing that is timed: one call of run() is one operation.
 *
 * Whatever run() does is on the clock, so an implementation makes its one call and judges the answer, nothing more.
 */
interface Operation
{
    /**
     * @return string|null what the operation gives out ('' where it gives out no bytes),
     *                     or null when its result was wrong
     */
    public function run(): ?string;
}
