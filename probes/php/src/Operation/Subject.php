<?php

declare(strict_types=1);

namespace Sectax\Probe\Operation;

/** An operation that `prepare` made ready, with all that sectax may ask about it outside the timed region. */
interface Subject
{
    /** The code that is timed. */
    public function operation(): Operation;

    /** @return array<string, string|int> what was read back from the real thing when it was prepared */
    public function prepared(): array;

    /** A fresh product of the code that is timed, or null where the operation makes none. */
    public function artefact(): ?string;

    /** @return array<string, string|int> what can be read off this artefact(), or off the inputs where there is none */
    public function witnesses(?string $artefact): array;

    /** Whether the code that is timed (of an operation that makes artefacts: its counterpart) accepts this one. */
    public function accepts(string $artefact): bool;
}
