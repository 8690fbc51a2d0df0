<?php

declare(strict_types=1);

namespace Sectax\Probe\Jwt;

use JsonException;
use stdClass;

use function count;
use function explode;
use function json_decode;

/** The three parts of a compact JWS (RFC 7515, section 7.1), split and nothing more: no word of it is believed yet. */
final class CompactJws
{
    private function __construct(
        private readonly string $header,
        private readonly string $payload,
        private readonly string $signature,
    ) {
    }

    /**
     * @throws InvalidToken
     */
    public static function split(string $token): self
    {
        $parts = explode('.', $token, 4); // the fourth would hold all that should not be there
        if (count($parts) !== 3) {
            throw new InvalidToken('a compact JWS has three parts');
        }

        return new self(...$parts);
    }

    /** What is signed. */
    public function signingInput(): string
    {
        return $this->header . '.' . $this->payload;
    }

    /**
     * @throws InvalidToken
     */
    public function signature(): string
    {
        return Base64Url::decode($this->signature);
    }

    /**
     * @throws InvalidToken
     */
    public function header(): stdClass
    {
        return self::object($this->header, 'header');
    }

    /**
     * @throws InvalidToken
     */
    public function claims(): stdClass
    {
        return self::object($this->payload, 'payload');
    }

    private static function object(string $part, string $name): stdClass
    {
        try {
            $object = json_decode(Base64Url::decode($part), false, 512, JSON_THROW_ON_ERROR);
        } catch (JsonException) {
            throw new InvalidToken("the $name is not JSON");
        }
        if (!$object instanceof stdClass) {
            throw new InvalidToken("the $name is not a JSON object");
        }

        return $object;
    }
}
