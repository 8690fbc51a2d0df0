<?php

declare(strict_types=1);

namespace Sectax\Probe\Jwt;

use OpenSSLAsymmetricKey;
use RuntimeException;
use Sectax\Probe\Operation\Operation;
use Sectax\Probe\Protocol\Refusal;

use function openssl_sign;

/** An RSA or EC private key that OpenSSL signs with. */
final class OpensslPrivateKey extends OpensslKey implements SigningKey
{
    protected const FORMAT = 'PKCS#8 PEM';

    /** Gives out what OpenSSL does: for ECDSA that is DER. */
    public function signing(string $signingInput): Operation
    {
        return new class ($signingInput, $this->key, $this->digest) implements Operation {
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
        };
    }

    public function toJose(string $product): string
    {
        return $this->coordinateBytes === null ? $product : EcdsaSignature::toJose($product, $this->coordinateBytes);
    }

    public function sign(string $signingInput): string
    {
        if (!openssl_sign($signingInput, $signature, $this->key, $this->digest)) {
            throw new RuntimeException('openssl_sign() failed');
        }

        return $this->coordinateBytes === null
            ? $signature
            : EcdsaSignature::toJose($signature, $this->coordinateBytes);
    }

    protected static function parse(string $pem): OpenSSLAsymmetricKey
    {
        $key = str_starts_with($pem, '-----BEGIN PRIVATE KEY-----') ? openssl_pkey_get_private($pem) : false;

        return $key ?: throw Refusal::failed('private_key_pem is not a PKCS#8 PEM key');
    }
}
