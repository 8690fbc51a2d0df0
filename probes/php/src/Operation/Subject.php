<?php

declare(strict_types=1);

namespace Sectax\Probe\Operation;

use Closure;
use Sectax\Probe\Jwt\InvalidToken;

/** An operation that `prepare` made ready, with all that sectax may ask about it outside the timed region. */
final class Subject
{
    /**
     * Whatever $run does is on the clock, so it makes its one call and judges the answer, nothing more.
     *
     * @param Closure(): ?string             $run       what it gives out ('' where that is no bytes), or null when its
     *                                                  result was wrong
     * @param array<string, string|int>      $prepared  what was read back from the real thing when it was prepared
     * @param (Closure(): string)|null       $make      a fresh product of the code that is timed
     * @param (Closure(string): bool)|null   $takes     whether that code, or its counterpart, takes an artefact
     * @param (Closure(?string): array<string, string>)|null $reads what can be read off an artefact, or the inputs
     */
    public function __construct(
        public readonly Closure $run,
        public readonly array $prepared = [],
        private readonly ?Closure $make = null,
        private readonly ?Closure $takes = null,
        private readonly ?Closure $reads = null,
    ) {
    }

    /** A fresh product of the code that is timed, or null where the operation makes none. */
    public function artefact(): ?string
    {
        return $this->make === null ? null : ($this->make)();
    }

    /** @return array<string, string> what can be read off this artefact(), or off the inputs where there is none */
    public function witnesses(?string $artefact): array
    {
        return $this->reads === null ? [] : ($this->reads)($artefact);
    }

    /** Whether the code that is timed (of an operation that makes artefacts: its counterpart) accepts this one. */
    public function accepts(string $artefact): bool
    {
        try {
            return $this->takes !== null && ($this->takes)($artefact);
        } catch (InvalidToken) {
            return false;
        }
    }
}
