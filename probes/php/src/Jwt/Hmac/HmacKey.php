<?php

declare(strict_types=1);

namespace Sectax\Probe\Jwt\Hmac;

use Sectax\Probe\Jwt\SigningKey;
use Sectax\Probe\Jwt\VerifyingKey;
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
        return new HmacSign($this->hash, $signingInput, $this->secret);
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
        return new HmacVerify($this->hash, $signingInput, $signature, $this->secret);
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
