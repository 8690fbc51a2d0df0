<?php

declare(strict_types=1);

namespace Sectax\Probe\Jwt;

use RuntimeException;
use stdClass;

use function json_encode;

/**
 * The library layer: a thin JWS, written here because no JWT library for PHP is packaged.
 *
 * It does what such a library does on every call, JSON and base64url included, and nothing else: times in the claims
 * are not looked at, for the tokens that are measured carry none.
 */
final class Jws
{
    /** Make a complete token. */
    public static function encode(stdClass $claims, string $algorithm, SigningKey $key): string
    {
        $signingInput = Base64Url::encode(self::json(['typ' => 'JWT', 'alg' => $algorithm]))
            . '.' . Base64Url::encode(self::json($claims));

        return $signingInput . '.' . Base64Url::encode(($key->sign)($signingInput));
    }

    /**
     * Give back the claims of a token, if it is genuine.
     *
     * @param string $algorithm the one that is expected: what the header says is compared with it, never followed
     *
     * @throws InvalidToken
     */
    public static function decode(string $token, string $algorithm, VerifyingKey $key): stdClass
    {
        $jws = CompactJws::split($token);
        $header = $jws->header();
        if (($header->alg ?? null) !== $algorithm) {
            throw new InvalidToken("the header does not say $algorithm");
        }
        if (isset($header->crit)) { // RFC 7515, section 4.1.11: we understand no extension, so we must refuse
            throw new InvalidToken('the header asks for an extension');
        }
        if (!($key->verify)($jws->signingInput(), $jws->signature())) {
            throw new InvalidToken('the signature is wrong');
        }

        return $jws->claims();
    }

    /** @param array<string, string>|stdClass $value */
    private static function json(array|stdClass $value): string
    {
        $json = json_encode($value, JSON_UNESCAPED_SLASHES | JSON_PRESERVE_ZERO_FRACTION);

        return $json !== false ? $json : throw new RuntimeException('the claims cannot be written as JSON');
    }
}
