<?php

declare(strict_types=1);

namespace Sectax\Probe\Protocol;

use RuntimeException;

/** A request that ends in `skipped` or `failed`: an ordinary answer, after which the probe goes on. */
final class Refusal extends RuntimeException
{
    private function __construct(public readonly string $status, string $reason, public readonly ?string $hint)
    {
        parent::__construct($reason);
    }

    public static function failed(string $reason): self
    {
        return new self('failed', $reason, null);
    }

    /** This cannot be had here; $hint is the command that installs it, if there is one. */
    public static function skipped(string $reason, ?string $hint = null): self
    {
        return new self('skipped', $reason, $hint);
    }

    /** @return array<string, string> the members of the reply */
    public function reply(): array
    {
        $reply = ['status' => $this->status, 'reason' => $this->getMessage()];
        if ($this->hint !== null) {
            $reply['hint'] = $this->hint;
        }

        return $reply;
    }
}
