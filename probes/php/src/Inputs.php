<?php

declare(strict_types=1);

namespace Sectax\Probe;

use Sectax\Probe\Kit\Refusal;

/** The inputs of `prepare`. Messages name an input and never quote it, since it may be a key. */
final class Inputs
{
    public function __construct(private readonly array $inputs)
    {
    }

    public function text(string $name): string
    {
        return $this->optional($name) ?? throw new Refusal("input $name is missing");
    }

    public function optional(string $name): ?string
    {
        $text = $this->inputs[$name] ?? null;
        $fits = $text === null || is_string($text) && $text !== '';
        return $fits ? $text : throw new Refusal("input $name is not a text, or empty");
    }

    public function bytes(string $name): string
    {
        try {
            return Base64Url::decode($this->text($name));
        } catch (Refusal) {
            throw new Refusal("input $name is missing, or not base64url without padding");
        }
    }
}
