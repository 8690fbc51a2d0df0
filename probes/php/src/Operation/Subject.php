<?php

declare(strict_types=1);

namespace Sectax\Probe\Operation;

use Closure;
use RuntimeException;
use Sectax\Probe\Jwt\Checker;

/** An operation that `prepare` made ready, with all that sectax may ask about it outside the timed region. */
class Subject
{
    /**
     * @param Operation                      $operation the code that is timed
     * @param array<string, string|int>      $prepared  what was read back from the real thing when it was prepared
     * @param Checker|null                   $checker   the code that is timed; where that makes tokens, its counterpart
     * @param (Closure(string): string)|null $toToken   makes a complete token of what the operation gave out
     * @param string|null                    $token     the one that is verified
     */
    public function __construct(
        public readonly Operation $operation,
        public readonly array $prepared = [],
        private readonly ?Checker $checker = null,
        private readonly ?Closure $toToken = null,
        private readonly ?string $token = null,
    ) {
    }

    /** A fresh product of the code that is timed, or null where the operation makes none. */
    public function artefact(): ?string
    {
        if ($this->toToken === null) {
            return null;
        }
        $product = $this->operation->run() ?? throw new RuntimeException('the signature failed');

        return ($this->toToken)($product);
    }

    /** @return array<string, string|int> what can be read off this artefact(), or off the inputs where there is none */
    public function witnesses(?string $artefact): array
    {
        $token = $artefact ?? $this->token;

        return $token === null ? [] : Checker::witnesses($token);
    }

    /** Whether the code that is timed (of an operation that makes artefacts: its counterpart) accepts this one. */
    public function accepts(string $artefact): bool
    {
        return $this->checker !== null && $this->checker->accepts($artefact);
    }
}
