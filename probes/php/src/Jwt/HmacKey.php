<?php

declare(strict_types=1);

namespace Sectax\Probe\Jwt;

use Sectax\Probe\Operation\Operation;

use function hash_equals;
use function hash_hmac;

/** A shared secret: it signs and it verifies, and there is nothing in it to parse. */
final class HmacKey implements SigningKey, VerifyingKey
{
    /** @param string $hash as PHP's hash extension calls it */
    public function __construct(private readonly string $hash, private readonly string $secret)
    {
    }

    public function signing(string $signingInput): Operation
    {
        return new class ($this->hash, $signingInput, $this->secret) implements Operation {
            public function __construct(
                private readonly string $hash,
                private readonly string $signingInput,
                private readonly string $secret,
            ) {
            }

            public function run(): ?string
            {
                return hash_hmac($this->hash, $this->signingInput, $this->secret, true);
            }
        };
    }

    public function toJose(string $product): string
    {
        return $product;
    }

    public function sign(string $signingInput): string
    {
        return hash_hmac($this->hash, $signingInput, $this->secret, true);
    }

    public function verifying(string $signingInput, string $signature): Operation
    {
        return new class ($this->hash, $signingInput, $signature, $this->secret) implements Operation {
            public function __construct(
                private readonly string $hash,
                private readonly string $signingInput,
                private readonly string $signature,
                private readonly string $secret,
            ) {
            }

            public function run(): ?string
            {
                $genuine = hash_hmac($this->hash, $this->signingInput, $this->secret, true);

                return hash_equals($genuine, $this->signature) ? '' : null;
            }
        };
    }

    public function verify(string $signingInput, string $signature): bool
    {
        return hash_equals(hash_hmac($this->hash, $signingInput, $this->secret, true), $signature);
    }

    public function witnesses(): array
    {
        return [
            'key_type' => 'oct',
            'key_bits' => 8 * strlen($this->secret),
            'key_format' => 'the bytes of the secret',
            'implementation' => 'hash',
        ];
    }
}
