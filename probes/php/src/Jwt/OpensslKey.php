<?php

declare(strict_types=1);

namespace Sectax\Probe\Jwt;

use OpenSSLAsymmetricKey;
use Sectax\Probe\Protocol\Refusal;

/** What RSA and EC keys of OpenSSL have in common, private or public: they say what they are, and fit an algorithm. */
abstract class OpensslKey
{
    /** What the text of the key is called. */
    protected const FORMAT = '';

    /** The curves of RFC 7518, section 3.4, by OpenSSL's names. */
    private const CURVES = ['prime256v1' => 'P-256', 'secp384r1' => 'P-384', 'secp521r1' => 'P-521'];

    /** The public half, as SubjectPublicKeyInfo PEM. */
    public readonly string $publicPem;

    /** The key as the calls take it: parsed, or the PEM, which they parse each time. */
    protected readonly OpenSSLAsymmetricKey|string $key;

    /** How long r and s are in JOSE form, or null where the algorithm is not ECDSA. */
    protected readonly ?int $coordinateBytes;

    protected readonly int $digest;

    /** @var array<string, string|int> */
    private readonly array $details;

    /**
     * @param bool $perCall whether the PEM is parsed on every call
     *
     * @throws Refusal when it is no key, or not one for this algorithm
     */
    final public function __construct(string $pem, Algorithm $algorithm, bool $perCall)
    {
        $parsed = static::parse($pem);
        $details = openssl_pkey_get_details($parsed) ?: throw Refusal::failed('OpenSSL says nothing about this key');
        $name = $details['ec']['curve_name'] ?? '';
        $curve = self::CURVES[$name] ?? $name;
        $type = match (true) {
            $details['type'] === OPENSSL_KEYTYPE_RSA => 'RSA',
            $curve !== '' => 'EC', // not by its type: PHP 8.2 gives an Ed25519 key that of EC too
            default => 'other',
        };
        $neededCurve = $algorithm->curve();
        $needed = $neededCurve === '' ? 'RSA' : 'EC';
        if ([$type, $curve] !== [$needed, $neededCurve]) {
            throw Refusal::failed(
                rtrim("$algorithm->value needs a key of type $needed $neededCurve")
                . rtrim(", this one is $type $curve")
            );
        }
        $this->details = ['key_type' => $type, 'key_bits' => $details['bits']]
            + ($curve === '' ? [] : ['curve' => $curve])
            + ['implementation' => 'openssl', 'key_format' => $perCall ? static::FORMAT : 'OpenSSLAsymmetricKey'];
        $this->publicPem = $details['key'];
        $this->key = $perCall ? $pem : $parsed;
        $this->coordinateBytes = $algorithm->coordinateBytes();
        $this->digest = $algorithm->digest();
    }

    /** @return array<string, string|int> */
    public function witnesses(): array
    {
        return $this->details;
    }

    /**
     * Only a text that starts like a PEM is handed to OpenSSL: PHP takes "file://…" for the name of a file, and for a
     * public key a certificate or a private key as well.
     *
     * @throws Refusal
     */
    abstract protected static function parse(string $pem): OpenSSLAsymmetricKey;
}
