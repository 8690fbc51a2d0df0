<?php

declare(strict_types=1);

namespace Sectax\Probe\Jwt;

use Closure;
use RuntimeException;
use Sectax\Probe\Base64Url;
use Sectax\Probe\Inputs;
use Sectax\Probe\Kit\Operation;
use Sectax\Probe\Kit\Refusal;

/** The operations of jwt: `sign` and `verify`, of the bare signature or of the whole token. */
final class Jwt
{
    public static function parameters(): array
    {
        return [
            'algorithm' => [...array_keys(Keys::HMAC), ...array_keys(Keys::OPENSSL), 'EdDSA'],
            'layer' => ['primitive', 'library'],
            'key_use' => ['parsed-once', 'parsed-per-call'],
        ];
    }

    public static function ready(string $operation, array $parameters, Inputs $inputs): Operation
    {
        ['algorithm' => $algorithm, 'layer' => $layer, 'key_use' => $use] = $parameters;
        $signs = $operation === 'sign';
        $key = self::keys($algorithm, $inputs, $signs, $use === 'parsed-per-call');
        $witnesses = $key->witnesses;
        if ($layer === 'library') {
            $witnesses['implementation'] = 'thin JWS over ' . $witnesses['implementation'];
        }
        $verifier = static fn (string $token): Closure => $layer === 'library'
            ? self::verifiesToken($token, $algorithm, $key)
            : ($key->verifying)(Jws::split($token)->signingInput(), Jws::split($token)->signature());
        $takes = static fn (string $token): bool => $verifier($token)() !== null;
        if ($signs) {
            [$run, $artefact] = $layer === 'library'
                ? self::makesToken($algorithm, $key, $inputs)
                : self::makesSignature($key, $inputs);
            return new Operation($run, $witnesses, $artefact, $takes, self::readBack(...));
        }
        $token = $inputs->text('token');
        try {
            $run = $verifier($token);
        } catch (Refusal $refusal) {
            throw new Refusal('input token cannot be verified: ' . $refusal->getMessage());
        }
        return new Operation($run, $witnesses, null, $takes, static fn (): array => self::readBack($token));
    }

    private static function keys(string $algorithm, Inputs $inputs, bool $signs, bool $perCall): Keys
    {
        if (isset(Keys::HMAC[$algorithm])) {
            return $perCall
                ? throw new Refusal("$algorithm has no key to parse: its secret is used as it is", 'skipped')
                : Keys::hmac($algorithm, $inputs->bytes('secret'));
        }
        $needs = $algorithm === 'EdDSA' ? 'sodium_crypto_sign_detached' : 'openssl_sign';
        if (!function_exists($needs)) {
            throw new Refusal("PHP lacks $needs(), its extension is missing", 'skipped', 'apt-get install php-cli');
        }
        return $algorithm === 'EdDSA'
            ? Keys::sodium($inputs, $signs, $perCall)
            : Keys::openssl($algorithm, $inputs, $signs, $perCall);
    }

    /** @return array{Closure, Closure} what is timed, and what makes an artefact with it */
    private static function makesSignature(Keys $key, Inputs $inputs): array
    {
        $input = $inputs->text('signing_input');
        if (preg_match('/\A[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\z/', $input) !== 1) {
            throw new Refusal('input signing_input is not base64url(header).base64url(claims)');
        }
        $run = ($key->signing)($input);
        return [$run, static function () use ($run, $key, $input): string {
            $made = $run() ?? throw new RuntimeException('the signature failed');
            return $input . '.' . Base64Url::encode($key->toJose === null ? $made : ($key->toJose)($made));
        }];
    }

    private static function makesToken(string $algorithm, Keys $key, Inputs $inputs): array
    {
        $claims = json_decode($inputs->text('claims'));
        if (!is_object($claims)) {
            throw new Refusal('input claims is not a JSON object');
        }
        $run = static fn (): string => Jws::encode($claims, $algorithm, $key);
        return [$run, $run];
    }

    private static function verifiesToken(string $token, string $algorithm, Keys $key): Closure
    {
        return static function () use ($token, $algorithm, $key): ?string {
            try {
                Jws::decode($token, $algorithm, $key);
            } catch (Refusal) {
                return null;
            }
            return '';
        };
    }

    private static function readBack(string $token): array
    {
        try {
            return array_filter(['alg' => Jws::split($token)->header()->alg ?? null], is_string(...));
        } catch (Refusal) {
            return [];
        }
    }
}
