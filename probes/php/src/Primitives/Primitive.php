<?php

declare(strict_types=1);

namespace Sectax\Probe\Primitives;

use Closure;
use Sectax\Probe\Jwt\InvalidToken;
use Sectax\Probe\Operation\Operation;
use Sectax\Probe\Operation\Subject;

/** An operation of the experiment primitives, made ready. */
final class Primitive extends Subject
{
    /**
     * @param array<string, string|int> $prepared
     * @param Closure(): string         $make     a fresh product of the code that is timed
     * @param Closure(string): bool     $takes    whether that code, or its counterpart, takes an artefact
     */
    public function __construct(
        Operation $operation,
        array $prepared,
        private readonly Closure $make,
        private readonly Closure $takes,
    ) {
        parent::__construct($operation, $prepared);
    }

    public function artefact(): ?string
    {
        return ($this->make)();
    }

    public function witnesses(?string $artefact): array
    {
        return [];
    }

    public function accepts(string $artefact): bool
    {
        try {
            return ($this->takes)($artefact);
        } catch (InvalidToken) {
            return false;
        }
    }
}
