<?php

declare(strict_types=1);

namespace Sectax\Probe\Jwt;

use Sectax\Probe\Operation\Operation;

/** Makes the operation that verifies one token, and asks it about others: what judges is always the code that is timed. */
final class Checker
{
    public function __construct(private readonly Treatment $treatment, private readonly VerifyingKey $key)
    {
    }

    /**
     * @throws InvalidToken when layer primitive finds nothing in it that could be a signature
     */
    public function operation(string $token): Operation
    {
        if ($this->treatment->layer === Layer::Library) {
            return new TokenVerify($token, $this->treatment->algorithm->name, $this->key);
        }
        $jws = CompactJws::split($token);

        return $this->key->verifying($jws->signingInput(), $jws->signature());
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
