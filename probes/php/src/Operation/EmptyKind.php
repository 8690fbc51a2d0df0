<?php

declare(strict_types=1);

namespace Sectax\Probe\Operation;

use Sectax\Probe\Protocol\Inputs;

final class EmptyKind implements Kind
{
    public function parameters(): array
    {
        return [];
    }

    public function prepare(array $parameters, Inputs $inputs): Subject
    {
        return new EmptySubject();
    }
}
