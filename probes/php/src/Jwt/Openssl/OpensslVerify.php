<?php

declare(strict_types=1);

namespace Sectax\Probe\Jwt\Openssl;

use OpenSSLAsymmetricKey;
use Sectax\Probe\Operation\Operation;

use function openssl_verify;

/** Handed a PEM, openssl_verify() parses it on every call. */
final class OpensslVerify implements Operation
{
    /** @param string $signature as OpenSSL wants it: for ECDSA that is DER */
    public function __construct(
        private readonly string $signingInput,
        private readonly string $signature,
        private readonly OpenSSLAsymmetricKey|string $key,
        private readonly int $digest,
    ) {
    }

    public function run(): ?string
    {
        // 0 is no, -1 and false are errors
        return openssl_verify($this->signingInput, $this->signature, $this->key, $this->digest) === 1 ? '' : null;
    }
}
