<?php

declare(strict_types=1);

namespace Sectax\Probe\Jwt;

use JsonException;
use Sectax\Probe\Operation\Operation;
use Sectax\Probe\Operation\Subject;
use Sectax\Probe\Protocol\Inputs;
use Sectax\Probe\Protocol\Refusal;
use Sectax\Probe\Runtime;
use stdClass;

/** `sign` and `verify` with the levels of jwt that were asked for: algorithm, layer and key use. */
final class Treatment
{
    private readonly Algorithm $algorithm;

    /** Whether the whole token is timed, or the bare cryptographic call. */
    private readonly bool $wholeToken;

    /** Whether the key is made from its encoded form inside every timed operation. */
    private readonly bool $perCall;

    /** @param array<string, string> $parameters one value for each of parameters() */
    public function __construct(array $parameters, private readonly Inputs $inputs)
    {
        $this->algorithm = Algorithm::from($parameters['algorithm']);
        $this->wholeToken = $parameters['layer'] === 'library';
        $this->perCall = $parameters['key_use'] === 'parsed-per-call';
    }

    /** @return array<string, list<string>> the parameters of both operations, and the values of each */
    public static function parameters(): array
    {
        return [
            'algorithm' => array_column(Algorithm::cases(), 'value'),
            'layer' => ['primitive', 'library'],
            'key_use' => ['parsed-once', 'parsed-per-call'],
        ];
    }

    /**
     * A signature over `signing_input`, or a complete token from `claims`.
     *
     * @throws Refusal when it cannot be had here, or the inputs do not fit
     */
    public function sign(): Subject
    {
        [$key, $counterpart] = $this->signingKeys();
        $checker = new Checker($counterpart, $this->algorithm->value, $this->wholeToken);
        if ($this->wholeToken) {
            $operation = self::tokenSigning($this->claims(), $this->algorithm->value, $key);
            $toToken = static fn (string $product): string => $product;
        } else {
            $signingInput = $this->signingInput();
            $operation = $key->signing($signingInput);
            $toToken = static fn (string $product): string =>
                $signingInput . '.' . Base64Url::encode($key->toJose($product));
        }

        return new Subject($operation, $this->label($key->witnesses()), $checker, toToken: $toToken);
    }

    /**
     * The signature of `token`, or the complete `token`.
     *
     * @throws Refusal when it cannot be had here, or the inputs do not fit
     */
    public function verify(): Subject
    {
        $key = $this->verifyingKey();
        $checker = new Checker($key, $this->algorithm->value, $this->wholeToken);
        $token = $this->inputs->text('token');
        try {
            $operation = $checker->operation($token);
        } catch (InvalidToken $invalid) {
            throw Refusal::failed('input token cannot be verified: ' . $invalid->getMessage());
        }

        return new Subject($operation, $this->label($key->witnesses()), $checker, token: $token);
    }

    /** Layer library: a complete token from the claims. */
    private static function tokenSigning(stdClass $claims, string $algorithm, SigningKey $key): Operation
    {
        return new class ($claims, $algorithm, $key) implements Operation {
            public function __construct(
                private readonly stdClass $claims,
                private readonly string $algorithm,
                private readonly SigningKey $key,
            ) {
            }

            public function run(): ?string
            {
                return Jws::encode($this->claims, $this->algorithm, $this->key);
            }
        };
    }

    /**
     * @return array{SigningKey, VerifyingKey} the key that signs, and its counterpart: the public key of the inputs, or
     *                                         where they have none, the one that the private key knows
     */
    private function signingKeys(): array
    {
        if ($this->algorithm->hash() !== null) {
            $key = $this->hmacKey();

            return [$key, $key];
        }
        $public = $this->inputs->optional('public_key_pem');
        if ($this->algorithm === Algorithm::EdDSA) {
            Runtime::need('sodium', 'sodium_crypto_sign_detached');
            $key = new SodiumSecretKey($this->inputs->text('private_key_pem'), $this->perCall);

            return [$key, $public === null ? $key->publicKey() : $this->sodiumPublicKey($public)];
        }
        Runtime::need('openssl', 'openssl_sign');
        $key = new OpensslPrivateKey($this->inputs->text('private_key_pem'), $this->algorithm, $this->perCall);

        return [$key, new OpensslPublicKey($public ?? $key->publicPem, $this->algorithm, $this->perCall)];
    }

    private function verifyingKey(): VerifyingKey
    {
        if ($this->algorithm->hash() !== null) {
            return $this->hmacKey();
        }
        if ($this->algorithm === Algorithm::EdDSA) {
            Runtime::need('sodium', 'sodium_crypto_sign_verify_detached');

            return $this->sodiumPublicKey($this->inputs->text('public_key_pem'));
        }
        Runtime::need('openssl', 'openssl_verify');

        return new OpensslPublicKey($this->inputs->text('public_key_pem'), $this->algorithm, $this->perCall);
    }

    private function sodiumPublicKey(string $pem): SodiumPublicKey
    {
        return new SodiumPublicKey(Ed25519Pem::publicKey($pem), $this->perCall);
    }

    private function hmacKey(): HmacKey
    {
        if ($this->perCall) {
            throw Refusal::skipped("{$this->algorithm->value} has no key to parse: its secret is used as it is");
        }
        try {
            return new HmacKey($this->algorithm->hash(), Base64Url::decode($this->inputs->text('secret')));
        } catch (InvalidToken) {
            throw Refusal::failed('input secret is not base64url without padding');
        }
    }

    private function signingInput(): string
    {
        $text = $this->inputs->text('signing_input');
        if (preg_match('/\A[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\z/', $text) !== 1) {
            throw Refusal::failed('input signing_input is not base64url(header).base64url(claims)');
        }

        return $text;
    }

    private function claims(): stdClass
    {
        try {
            $claims = json_decode($this->inputs->text('claims'), false, 512, JSON_THROW_ON_ERROR);
        } catch (JsonException) {
            $claims = null;
        }

        return $claims instanceof stdClass ? $claims : throw Refusal::failed('input claims is not a JSON object');
    }

    /**
     * @param array<string, string|int> $witnesses of a key
     *
     * @return array<string, string|int>
     */
    private function label(array $witnesses): array
    {
        if ($this->wholeToken) {
            $witnesses['implementation'] = 'thin JWS over ' . $witnesses['implementation'];
        }

        return $witnesses;
    }
}
