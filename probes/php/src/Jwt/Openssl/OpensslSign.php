<?php

declare(strict_types=1);

namespace Sectax\Probe\Jwt\Openssl;

use OpenSSLAsymmetricKey;
use Sectax\Probe\Operation\Operation;

use function openssl_sign;

/** Gives out what OpenSSL does: for ECDSA that is DER. Handed a PEM, openssl_sign() parses it on every call. */
final class OpensslSign implements Operation
{
    public function __construct(
        private readonly string $signingInput,
        private readonly OpenSSLAsymmetricKey|string $key,
        private readonly int $digest,
    ) {
    }

    public function run(): ?string
    {
        return openssl_sign($this->signingInput, $signature, $this->key, $this->digest) ? $signature : null;
    }
}
