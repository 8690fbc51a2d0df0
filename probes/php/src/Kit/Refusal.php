<?php

declare(strict_types=1);

namespace Sectax\Probe\Kit;

use RuntimeException;

/** Ends a request, not the probe; never quotes an input, which may be a key. $hint: what installs what is skipped. */
final class Refusal extends RuntimeException
{
    public function __construct(string $reason, public string $status = 'failed', public ?string $hint = null)
    {
        parent::__construct($reason);
    }
}
