<?php

declare(strict_types=1);

namespace Sectax\Probe\Protocol;

use JsonException;

/** One line from sectax, read with care: every member is checked when it is asked for. */
final class Request
{
    /** @param array<array-key, mixed> $members */
    private function __construct(private readonly array $members)
    {
    }

    /**
     * @throws Refusal when the line is no JSON object
     */
    public static function parse(string $line): self
    {
        try {
            $members = json_decode($line, true, 64, JSON_THROW_ON_ERROR);
        } catch (JsonException $error) {
            throw Refusal::failed('the request is not JSON: ' . $error->getMessage());
        }
        if (!is_array($members) || !str_starts_with(ltrim($line), '{')) {
            throw Refusal::failed('the request is not a JSON object');
        }

        return new self($members);
    }

    /** The number to echo, or null where the request has none. */
    public function seq(): ?int
    {
        $seq = $this->members['seq'] ?? null;

        return is_int($seq) ? $seq : null;
    }

    public function text(string $name): string
    {
        $value = $this->members[$name] ?? null;

        return is_string($value) ? $value : throw Refusal::failed("$name is missing, or not a text");
    }

    public function integer(string $name, int $atLeast, ?int $otherwise = null): int
    {
        $value = $this->members[$name] ?? $otherwise;
        if (!is_int($value) || $value < $atLeast) {
            throw Refusal::failed("$name must be an integer of at least $atLeast");
        }

        return $value;
    }

    public function flag(string $name): bool
    {
        $value = $this->members[$name] ?? false;

        return is_bool($value) ? $value : throw Refusal::failed("$name must be true or false");
    }

    /** @return array<array-key, mixed> */
    public function map(string $name): array
    {
        $value = $this->members[$name] ?? [];

        return is_array($value) ? $value : throw Refusal::failed("$name must be an object");
    }

    /** @return list<string> */
    public function texts(string $name): array
    {
        $value = $this->members[$name] ?? [];
        if (!is_array($value) || !array_is_list($value) || array_filter($value, is_string(...)) !== $value) {
            throw Refusal::failed("$name must be a list of texts");
        }

        return $value;
    }
}
