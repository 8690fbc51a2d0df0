<?php

declare(strict_types=1);

namespace Sectax\Probe\Jwt;

use Sectax\Probe\Operation\Operation;

/** Makes the operation that verifies one token, and asks it about others: what judges is always the code that is timed. */
final class Checker
{
    public function __construct(
        private readonly VerifyingKey $key,
        private readonly string $algorithm,
        private readonly bool $wholeToken,
    ) {
    }

    /**
     * @throws InvalidToken when layer primitive finds nothing in it that could be a signature
     */
    public function operation(string $token): Operation
    {
        if (!$this->wholeToken) {
            $jws = CompactJws::split($token);

            return $this->key->verifying($jws->signingInput(), $jws->signature());
        }

        // The complete token, whose claims the library gives back.
        return new class ($token, $this->algorithm, $this->key) implements Operation {
            public function __construct(
                private readonly string $token,
                private readonly string $algorithm,
                private readonly VerifyingKey $key,
            ) {
            }

            public function run(): ?string
            {
                try {
                    Jws::decode($this->token, $this->algorithm, $this->key);
                } catch (InvalidToken) {
                    return null;
                }

                return '';
            }
        };
    }

    public function accepts(string $token): bool
    {
        try {
            return $this->operation($token)->run() !== null;
        } catch (InvalidToken) {
            return false;
        }
    }

    /** @return array<string, string> the algorithm that the header of this token names, if it can be read */
    public static function witnesses(string $token): array
    {
        try {
            $algorithm = CompactJws::split($token)->header()->alg ?? null;
        } catch (InvalidToken) {
            return [];
        }

        return is_string($algorithm) ? ['alg' => $algorithm] : [];
    }
}
