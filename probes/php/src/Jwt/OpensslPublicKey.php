<?php

declare(strict_types=1);

namespace Sectax\Probe\Jwt;

use OpenSSLAsymmetricKey;
use Sectax\Probe\Operation\Operation;
use Sectax\Probe\Protocol\Refusal;

use function openssl_verify;

/** An RSA or EC public key that OpenSSL verifies with. */
final class OpensslPublicKey extends OpensslKey implements VerifyingKey
{
    protected const FORMAT = 'SubjectPublicKeyInfo PEM';

    public function verifying(string $signingInput, string $signature): Operation
    {
        $native = $this->coordinateBytes === null
            ? $signature
            : EcdsaSignature::toDer($signature, $this->coordinateBytes);

        return new class ($signingInput, $native, $this->key, $this->digest) implements Operation {
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
                return openssl_verify($this->signingInput, $this->signature, $this->key, $this->digest) === 1
                    ? ''
                    : null;
            }
        };
    }

    public function verify(string $signingInput, string $signature): bool
    {
        if ($this->coordinateBytes !== null) {
            $signature = EcdsaSignature::toDer($signature, $this->coordinateBytes);
        }

        return openssl_verify($signingInput, $signature, $this->key, $this->digest) === 1;
    }

    protected static function parse(string $pem): OpenSSLAsymmetricKey
    {
        $key = str_starts_with($pem, '-----BEGIN PUBLIC KEY-----') ? openssl_pkey_get_public($pem) : false;

        return $key ?: throw Refusal::failed('public_key_pem is not a SubjectPublicKeyInfo PEM key');
    }
}
