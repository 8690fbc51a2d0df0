<?php

declare(strict_types=1);

namespace Sectax\Probe\Jwt;

use JsonException;
use RuntimeException;
use Sectax\Probe\Base64Url;
use Sectax\Probe\Kit\Refusal;
use stdClass;

/**
 * The library layer: a thin JWS (RFC 7515), for no JWT library for PHP is packaged. It does what such a library does on
 * every call, and nothing else: the claims that are measured have no times.
 */
final class Jws
{
    private function __construct(
        private readonly string $header,
        private readonly string $payload,
        private readonly string $signature,
    ) {
    }

    public static function encode(stdClass $claims, string $algorithm, Keys $key): string
    {
        $signingInput = Base64Url::encode(self::json(['typ' => 'JWT', 'alg' => $algorithm]))
            . '.' . Base64Url::encode(self::json($claims));
        return $signingInput . '.' . Base64Url::encode(($key->sign)($signingInput));
    }

    /** The claims of a token, if it is genuine and of this algorithm: what the header says is never followed. */
    public static function decode(string $token, string $algorithm, Keys $key): stdClass
    {
        $jws = self::split($token);
        $header = $jws->header();
        if (($header->alg ?? null) !== $algorithm) {
            throw new Refusal("the header does not say $algorithm");
        }
        if (isset($header->crit)) { // RFC 7515, section 4.1.11: we understand no extension, so we must refuse
            throw new Refusal('the header asks for an extension');
        }
        if (!($key->verify)($jws->signingInput(), $jws->signature())) {
            throw new Refusal('the signature is wrong');
        }
        return $jws->claims();
    }

    /** The three parts of a token, and nothing more: no word of it is believed yet. */
    public static function split(string $token): self
    {
        $parts = \explode('.', $token, 4); // the fourth would hold all that should not be there
        if (\count($parts) !== 3) {
            throw new Refusal('a compact JWS has three parts');
        }
        return new self(...$parts);
    }

    public function signingInput(): string
    {
        return $this->header . '.' . $this->payload;
    }

    public function signature(): string
    {
        return Base64Url::decode($this->signature);
    }

    public function header(): stdClass
    {
        return self::object($this->header, 'header');
    }

    private function claims(): stdClass
    {
        return self::object($this->payload, 'payload');
    }

    private static function object(string $part, string $name): stdClass
    {
        try {
            $object = \json_decode(Base64Url::decode($part), false, 512, JSON_THROW_ON_ERROR);
        } catch (JsonException) {
            throw new Refusal("the $name is not JSON");
        }
        if (!$object instanceof stdClass) {
            throw new Refusal("the $name is not a JSON object");
        }
        return $object;
    }

    private static function json(array|stdClass $value): string
    {
        $json = \json_encode($value, JSON_UNESCAPED_SLASHES | JSON_PRESERVE_ZERO_FRACTION);
        return $json !== false ? $json : throw new RuntimeException('the claims cannot be written as JSON');
    }
}
