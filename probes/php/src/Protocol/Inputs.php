<?php

declare(strict_types=1);

namespace Sectax\Probe\Protocol;

/** The inputs of `prepare`: texts by name. Messages name an input and never quote it, since it may be a key. */
final class Inputs
{
    /** @param array<array-key, mixed> $inputs */
    public function __construct(private readonly array $inputs)
    {
    }

    /**
     * @throws Refusal when it is missing, empty or no text
     */
    public function text(string $name): string
    {
        return $this->optional($name) ?? throw Refusal::failed("input $name is missing");
    }

    /**
     * @throws Refusal when it is there, but empty or no text
     */
    public function optional(string $name): ?string
    {
        $text = $this->inputs[$name] ?? null;
        if ($text !== null && (!is_string($text) || $text === '')) {
            throw Refusal::failed("input $name is not a text, or empty");
        }

        return $text;
    }
}
