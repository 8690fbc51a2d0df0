<?php

declare(strict_types=1);

namespace Sectax\Probe\Jwt\Openssl;

use OpenSSLAsymmetricKey;
use RuntimeException;
use Sectax\Probe\Jwt\Algorithm;
use Sectax\Probe\Jwt\EcdsaSignature;
use Sectax\Probe\Jwt\KeyUse;
use Sectax\Probe\Jwt\SigningKey;
use Sectax\Probe\Operation\Operation;
use Sectax\Probe\Protocol\Refusal;

use function openssl_sign;

/** An RSA or EC private key that OpenSSL signs with. */
final class PrivateKey implements SigningKey
{
    /** How long r and s are in JOSE form, or null where the algorithm is not ECDSA. */
    private readonly ?int $coordinateBytes;

    private readonly int $digest;

    private function __construct(
        Algorithm $algorithm,
        private readonly OpenSSLAsymmetricKey|string $key,
        private readonly KeyDetails $details,
    ) {
        $this->coordinateBytes = $algorithm->curve?->coordinateBytes();
        $this->digest = Digest::constant($algorithm->hash);
    }

    /**
     * @throws Refusal when it is no key, or not one for this algorithm
     */
    public static function fromPem(string $pem, Algorithm $algorithm, KeyUse $use): self
    {
        $key = Pem::privateKey($pem);
        $details = KeyDetails::of($key);
        $details->mustFit($algorithm);

        return new self($algorithm, $use === KeyUse::ParsedOnce ? $key : $pem, $details);
    }

    /** The public half, as SubjectPublicKeyInfo PEM. */
    public function publicPem(): string
    {
        return $this->details->publicPem;
    }

    public function signing(string $signingInput): Operation
    {
        return new OpensslSign($signingInput, $this->key, $this->digest);
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

    public function witnesses(): array
    {
        return $this->details->witnesses()
            + ['key_format' => is_string($this->key) ? 'PKCS#8 PEM' : 'OpenSSLAsymmetricKey'];
    }
}
