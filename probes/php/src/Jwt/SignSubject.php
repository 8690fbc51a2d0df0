<?php

declare(strict_types=1);

namespace Sectax\Probe\Jwt;

use Closure;
use RuntimeException;
use Sectax\Probe\Operation\Operation;
use Sectax\Probe\Operation\Subject;

final class SignSubject implements Subject
{
    /**
     * @param array<string, string|int> $prepared
     * @param Closure(string): string   $toToken makes a complete token of what the operation gave out
     * @param Checker                   $checker the counterpart
     */
    public function __construct(
        private readonly Operation $operation,
        private readonly array $prepared,
        private readonly Closure $toToken,
        private readonly Checker $checker,
    ) {
    }

    public function operation(): Operation
    {
        return $this->operation;
    }

    public function prepared(): array
    {
        return $this->prepared;
    }

    public function artefact(): string
    {
        $product = $this->operation->run() ?? throw new RuntimeException('the signature failed');

        return ($this->toToken)($product);
    }

    public function witnesses(?string $artefact): array
    {
        return $artefact === null ? [] : Checker::witnesses($artefact);
    }

    public function accepts(string $artefact): bool
    {
        return $this->checker->accepts($artefact);
    }
}
