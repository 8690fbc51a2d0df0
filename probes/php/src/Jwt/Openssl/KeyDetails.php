<?php

declare(strict_types=1);

namespace Sectax\Probe\Jwt\Openssl;

use OpenSSLAsymmetricKey;
use Sectax\Probe\Jwt\Algorithm;
use Sectax\Probe\Jwt\Curve;
use Sectax\Probe\Jwt\Family;
use Sectax\Probe\Protocol\Refusal;

/** What a parsed key says of itself. */
final class KeyDetails
{
    /**
     * @param string $type  as JOSE calls it: RSA, EC, or other
     * @param string $curve as JOSE calls it, or else as OpenSSL does; '' where the key is on none
     */
    private function __construct(
        public readonly string $type,
        public readonly int $bits,
        public readonly string $curve,
        public readonly string $publicPem,
    ) {
    }

    /**
     * @throws Refusal
     */
    public static function of(OpenSSLAsymmetricKey $key): self
    {
        $details = openssl_pkey_get_details($key);
        if ($details === false) {
            throw Refusal::failed('OpenSSL says nothing about this key');
        }
        $curve = $details['ec']['curve_name'] ?? '';
        $type = match (true) {
            $details['type'] === OPENSSL_KEYTYPE_RSA => 'RSA',
            $curve !== '' => 'EC', // not by its type: PHP 8.2 gives an Ed25519 key that of EC too
            default => 'other',
        };

        return new self($type, $details['bits'], Curve::fromOpenssl($curve)?->value ?? $curve, $details['key']);
    }

    /**
     * @throws Refusal when the algorithm needs another key
     */
    public function mustFit(Algorithm $algorithm): void
    {
        $needed = $algorithm->family === Family::Rsa ? 'RSA' : 'EC';
        $neededCurve = $algorithm->curve?->value ?? '';
        if ($this->type !== $needed || $this->curve !== $neededCurve) {
            throw Refusal::failed(
                rtrim("$algorithm->name needs a key of type $needed $neededCurve")
                . rtrim(", this one is $this->type $this->curve")
            );
        }
    }

    /** @return array<string, string|int> */
    public function witnesses(): array
    {
        $witnesses = ['key_type' => $this->type, 'key_bits' => $this->bits];
        if ($this->curve !== '') {
            $witnesses['curve'] = $this->curve;
        }

        return $witnesses + ['implementation' => 'openssl'];
    }
}
