<?php

declare(strict_types=1);

namespace Sectax\Probe\Jwt\Sodium;

use Sectax\Probe\Operation\Operation;

use function base64_decode;
use function sodium_crypto_sign_detached;

/** Signs with a key that is decoded on every call. */
final class SodiumSignEncodedKey implements Operation
{
    /** @param string $encodedKey base64 of sodium's own 64 bytes */
    public function __construct(private readonly string $signingInput, private readonly string $encodedKey)
    {
    }

    public function run(): ?string
    {
        return sodium_crypto_sign_detached($this->signingInput, base64_decode($this->encodedKey, true));
    }
}
