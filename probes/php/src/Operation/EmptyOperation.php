<?php

declare(strict_types=1);

namespace Sectax\Probe\Operation;

/** What the loop and the call cost by themselves. */
final class EmptyOperation implements Operation
{
    public function run(): ?string
    {
        return '';
    }
}
