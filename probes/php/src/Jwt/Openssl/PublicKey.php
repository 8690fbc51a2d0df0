<?php

declare(strict_types=1);

namespace Sectax\Probe\Jwt\Openssl;

use OpenSSLAsymmetricKey;
use Sectax\Probe\Jwt\Algorithm;
use Sectax\Probe\Jwt\EcdsaSignature;
use Sectax\Probe\Jwt\KeyUse;
use Sectax\Probe\Jwt\VerifyingKey;
use Sectax\Probe\Operation\Operation;
use Sectax\Probe\Protocol\Refusal;

use function openssl_verify;

/** An RSA or EC public key that OpenSSL verifies with. */
final class PublicKey implements VerifyingKey
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
        $key = Pem::publicKey($pem);
        $details = KeyDetails::of($key);
        $details->mustFit($algorithm);

        return new self($algorithm, $use === KeyUse::ParsedOnce ? $key : $pem, $details);
    }

    public function verifying(string $signingInput, string $signature): Operation
    {
        $native = $this->coordinateBytes === null
            ? $signature
            : EcdsaSignature::toDer($signature, $this->coordinateBytes);

        return new OpensslVerify($signingInput, $native, $this->key, $this->digest);
    }

    public function verify(string $signingInput, string $signature): bool
    {
        if ($this->coordinateBytes !== null) {
            $signature = EcdsaSignature::toDer($signature, $this->coordinateBytes);
        }

        return openssl_verify($signingInput, $signature, $this->key, $this->digest) === 1;
    }

    public function witnesses(): array
    {
        return $this->details->witnesses()
            + ['key_format' => is_string($this->key) ? 'SubjectPublicKeyInfo PEM' : 'OpenSSLAsymmetricKey'];
    }
}
