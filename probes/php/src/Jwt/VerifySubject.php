<?php

declare(strict_types=1);

namespace Sectax\Probe\Jwt;

use Sectax\Probe\Operation\Operation;
use Sectax\Probe\Operation\Subject;

final class VerifySubject implements Subject
{
    private readonly Operation $operation;

    /**
     * @param array<string, string|int> $prepared
     *
     * @throws InvalidToken when nothing in the token could be a signature
     */
    public function __construct(
        private readonly string $token,
        private readonly array $prepared,
        private readonly Checker $checker,
    ) {
        $this->operation = $checker->operation($token);
    }

    public function operation(): Operation
    {
        return $this->operation;
    }

    public function prepared(): array
    {
        return $this->prepared;
    }

    public function artefact(): ?string
    {
        return null;
    }

    public function witnesses(?string $artefact): array
    {
        return Checker::witnesses($this->token);
    }

    public function accepts(string $artefact): bool
    {
        return $this->checker->accepts($artefact);
    }
}
