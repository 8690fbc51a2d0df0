<?php

declare(strict_types=1);

namespace Sectax\Probe\Kit;

use Closure;

/** What is ready to be timed. Whatever $run does is on the clock: it makes its one call and judges the answer. */
final class Operation
{
    /**
     * @param Closure(): ?string $run gives what it made, '' where that is no bytes, null where it was wrong
     * @param (Closure(): string)|null $artefact a fresh product of the code that is timed
     * @param (Closure(string): bool)|null $takes whether that code, or its counterpart, takes an artefact
     * @param (Closure(?string): array)|null $readBack witnesses of the artefact, or of the inputs where none is made
     */
    public function __construct(
        public readonly Closure $run,
        public readonly array $witnesses = [],
        public readonly ?Closure $artefact = null,
        public readonly ?Closure $takes = null,
        public readonly ?Closure $readBack = null,
    ) {
    }
}
