<?php

declare(strict_types=1);

namespace Sectax\Probe\Jwt;

use Sectax\Probe\Jwt\Hmac\HmacKey;
use Sectax\Probe\Jwt\Openssl;
use Sectax\Probe\Jwt\Sodium;
use Sectax\Probe\Protocol\Inputs;
use Sectax\Probe\Protocol\Refusal;
use Sectax\Probe\Runtime;

/** Makes the keys of an algorithm out of the inputs, or says why they cannot be had here. */
final class Keys
{
    public function __construct(
        private readonly Algorithm $algorithm,
        private readonly KeyUse $use,
        private readonly Inputs $inputs,
    ) {
    }

    /**
     * @return array{SigningKey, VerifyingKey} the key that signs, and its counterpart: the public key of the inputs, or
     *                                         where they have none, the one that the private key knows
     *
     * @throws Refusal
     */
    public function signing(): array
    {
        switch ($this->algorithm->family) {
            case Family::Hmac:
                $key = $this->hmac();

                return [$key, $key];
            case Family::Rsa:
            case Family::Ecdsa:
                Runtime::need('openssl', 'openssl_sign');
                $private = $this->inputs->text('private_key_pem');
                $key = Openssl\PrivateKey::fromPem($private, $this->algorithm, $this->use);
                $public = $this->inputs->optional('public_key_pem') ?? $key->publicPem();

                return [$key, Openssl\PublicKey::fromPem($public, $this->algorithm, $this->use)];
            case Family::Ed25519:
                Runtime::need('sodium', 'sodium_crypto_sign_detached');
                $key = Sodium\SecretKey::fromPem($this->inputs->text('private_key_pem'), $this->use);
                $public = $this->inputs->optional('public_key_pem');

                return [$key, $public === null ? $key->publicKey() : Sodium\PublicKey::fromPem($public, $this->use)];
        }
    }

    /**
     * @throws Refusal
     */
    public function verifying(): VerifyingKey
    {
        switch ($this->algorithm->family) {
            case Family::Hmac:
                return $this->hmac();
            case Family::Rsa:
            case Family::Ecdsa:
                Runtime::need('openssl', 'openssl_verify');

                return Openssl\PublicKey::fromPem($this->inputs->text('public_key_pem'), $this->algorithm, $this->use);
            case Family::Ed25519:
                Runtime::need('sodium', 'sodium_crypto_sign_verify_detached');

                return Sodium\PublicKey::fromPem($this->inputs->text('public_key_pem'), $this->use);
        }
    }

    private function hmac(): HmacKey
    {
        if ($this->use === KeyUse::ParsedPerCall) {
            throw Refusal::skipped("{$this->algorithm->name} has no key to parse: its secret is used as it is");
        }
        try {
            return new HmacKey($this->algorithm->hash, Base64Url::decode($this->inputs->text('secret')));
        } catch (InvalidToken) {
            throw Refusal::failed('input secret is not base64url without padding');
        }
    }
}
