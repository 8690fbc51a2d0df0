<?php

declare(strict_types=1);

namespace Sectax\Probe\Jwt;

use Closure;
use JsonException;
use RuntimeException;
use Sectax\Probe\Operation\Subject;
use Sectax\Probe\Protocol\Inputs;
use Sectax\Probe\Protocol\Refusal;
use Sectax\Probe\Runtime;
use stdClass;

/** `sign` and `verify` with the levels of jwt that were asked for: algorithm, layer and key use. */
final class Treatment
{
    private readonly string $algorithm;

    /** Whether the whole token is timed, or the bare cryptographic call. */
    private readonly bool $wholeToken;

    /** Whether the key is made from its encoded form inside every timed operation. */
    private readonly bool $perCall;

    /** @param array<string, string> $parameters one value for each of parameters() */
    public function __construct(array $parameters, private readonly Inputs $inputs)
    {
        $this->algorithm = $parameters['algorithm'];
        $this->wholeToken = $parameters['layer'] === 'library';
        $this->perCall = $parameters['key_use'] === 'parsed-per-call';
        if ($this->perCall && isset(Algorithms::HMAC[$this->algorithm])) {
            throw Refusal::skipped("$this->algorithm has no key to parse: its secret is used as it is");
        }
    }

    /** @return array<string, list<string>> the parameters of both operations, and the values of each */
    public static function parameters(): array
    {
        return [
            'algorithm' => Algorithms::names(),
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
        $key = $this->signingKey();
        // What judges is the public key of the inputs, or where they have none, the one that the private key knows.
        $counterpart = $this->verifyingKey($this->inputs->optional('public_key_pem'));
        if ($this->wholeToken) {
            [$claims, $algorithm] = [$this->claims(), $this->algorithm];
            $run = static fn (): string => Jws::encode($claims, $algorithm, $key);
            $make = $run;
        } else {
            $input = $this->signingInput();
            $run = ($key->signing)($input);
            $make = static function () use ($run, $key, $input): string {
                $made = $run() ?? throw new RuntimeException('the signature failed');

                return $input . '.' . Base64Url::encode($key->toJose === null ? $made : ($key->toJose)($made));
            };
        }

        return new Subject(
            $run,
            $this->label($key->witnesses),
            $make,
            fn (string $token): bool => $this->verifies($token, $counterpart)() !== null,
            self::read(...),
        );
    }

    /**
     * The signature of `token`, or the complete `token`.
     *
     * @throws Refusal when it cannot be had here, or the inputs do not fit
     */
    public function verify(): Subject
    {
        $hasPem = !isset(Algorithms::HMAC[$this->algorithm]);
        $key = $this->verifyingKey($hasPem ? $this->inputs->text('public_key_pem') : null);
        $token = $this->inputs->text('token');
        try {
            $run = $this->verifies($token, $key);
        } catch (InvalidToken $invalid) {
            throw Refusal::failed('input token cannot be verified: ' . $invalid->getMessage());
        }

        return new Subject(
            $run,
            $this->label($key->witnesses),
            null,
            fn (string $shown): bool => $this->verifies($shown, $key)() !== null,
            static fn (): array => self::read($token),
        );
    }

    /**
     * The code that is timed, for this token.
     *
     * @throws InvalidToken when layer primitive finds nothing in it that could be a signature
     */
    private function verifies(string $token, VerifyingKey $key): Closure
    {
        if (!$this->wholeToken) {
            $jws = CompactJws::split($token);

            return ($key->verifying)($jws->signingInput(), $jws->signature());
        }
        $algorithm = $this->algorithm;

        // The complete token, whose claims the library gives back.
        return static function () use ($token, $algorithm, $key): ?string {
            try {
                Jws::decode($token, $algorithm, $key);
            } catch (InvalidToken) {
                return null;
            }

            return '';
        };
    }

    /** @return array<string, string> the algorithm that the header of this token names, if it can be read */
    private static function read(string $token): array
    {
        try {
            $algorithm = CompactJws::split($token)->header()->alg ?? null;
        } catch (InvalidToken) {
            return [];
        }

        return is_string($algorithm) ? ['alg' => $algorithm] : [];
    }

    private function signingKey(): SigningKey
    {
        if (isset(Algorithms::HMAC[$this->algorithm])) {
            return HmacKeys::signing(Algorithms::HMAC[$this->algorithm], $this->secret());
        }
        $this->needExtension();
        $pem = $this->inputs->text('private_key_pem');

        return $this->algorithm === Algorithms::EDDSA
            ? SodiumKeys::signing($pem, $this->perCall)
            : OpensslKeys::signing($this->algorithm, $pem, $this->perCall);
    }

    /** @param string|null $pem without one, that of the private key */
    private function verifyingKey(?string $pem): VerifyingKey
    {
        if (isset(Algorithms::HMAC[$this->algorithm])) {
            return HmacKeys::verifying(Algorithms::HMAC[$this->algorithm], $this->secret());
        }
        $this->needExtension();
        $private = $pem === null ? $this->inputs->text('private_key_pem') : '';

        return $this->algorithm === Algorithms::EDDSA
            ? SodiumKeys::verifying(
                $pem === null ? SodiumKeys::publicKey($private) : Ed25519Pem::publicKey($pem),
                $this->perCall
            )
            : OpensslKeys::verifying($this->algorithm, $pem ?? OpensslKeys::publicPem($private), $this->perCall);
    }

    private function needExtension(): void
    {
        $this->algorithm === Algorithms::EDDSA
            ? Runtime::need('sodium', 'sodium_crypto_sign_detached')
            : Runtime::need('openssl', 'openssl_sign');
    }

    private function secret(): string
    {
        try {
            return Base64Url::decode($this->inputs->text('secret'));
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
