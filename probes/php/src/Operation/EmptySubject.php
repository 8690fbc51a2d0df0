<?php

declare(strict_types=1);

namespace Sectax\Probe\Operation;

/** The empty operation makes nothing, has nothing to witness and accepts nothing. */
final class EmptySubject implements Subject
{
    public function operation(): Operation
    {
        return new EmptyOperation();
    }

    public function prepared(): array
    {
        return [];
    }

    public function artefact(): ?string
    {
        return null;
    }

    public function witnesses(?string $artefact): array
    {
        return [];
    }

    public function accepts(string $artefact): bool
    {
        return false;
    }
}
