<?php

declare(strict_types=1);

namespace Sectax\Probe\Tests;

use Sectax\Probe\Probe;

/** Talks to the probe as sectax does, in one process. */
final class Conversation
{
    public const CLAIMS = '{"sub":"1234567890","name":"Ada","admin":true,"groups":[],"address":{}}';

    private int $seq = 0;

    public function __construct(public readonly Probe $probe = new Probe())
    {
    }

    /** @return array<string, mixed> */
    public function ask(string $command, mixed ...$members): array
    {
        $request = ['seq' => ++$this->seq, 'command' => $command] + $members;

        return $this->send(json_encode($request, JSON_THROW_ON_ERROR));
    }

    /** @return array<string, mixed> */
    public function send(string $line): array
    {
        return json_decode($this->probe->answer($line), true, flags: JSON_THROW_ON_ERROR);
    }

    /**
     * @param array<string, string> $inputs beside, or in place of, those of the published example
     *
     * @return array<string, mixed>
     */
    public function prepareSign(string $algorithm, string $layer, string $use, array $inputs = []): array
    {
        return $this->ask(
            'prepare',
            operation: 'sign',
            parameters: ['algorithm' => $algorithm, 'layer' => $layer, 'key_use' => $use],
            inputs: $inputs + Vectors::of($algorithm)['inputs'] + [
                'claims' => self::CLAIMS,
                'signing_input' => self::signingInput($algorithm),
            ],
        );
    }

    /**
     * @param array<string, string> $inputs in place of those of the published example
     *
     * @return array<string, mixed>
     */
    public function prepareVerify(
        string $algorithm,
        string $layer,
        string $use,
        string $token,
        array $inputs = [],
    ): array {
        return $this->ask(
            'prepare',
            operation: 'verify',
            parameters: ['algorithm' => $algorithm, 'layer' => $layer, 'key_use' => $use],
            inputs: ['token' => $token] + $inputs + Vectors::of($algorithm)['inputs'],
        );
    }

    /** A genuine token, made by the probe. */
    public function token(string $algorithm, string $layer = 'library', string $use = 'parsed-once'): string
    {
        $this->prepareSign($algorithm, $layer, $use);

        return $this->artefact();
    }

    public function artefact(): string
    {
        return $this->ask('witness', present: [])['artefact'];
    }

    /**
     * Which of these the live operation accepts.
     *
     * @param list<string> $present
     *
     * @return list<bool>
     */
    public function accepted(array $present): array
    {
        return $this->ask('witness', present: $present)['accepted'];
    }

    private static function signingInput(string $algorithm): string
    {
        $encode = static fn (string $text): string => rtrim(strtr(base64_encode($text), '+/', '-_'), '=');

        return $encode("{\"typ\":\"JWT\",\"alg\":\"$algorithm\"}") . '.' . $encode(self::CLAIMS);
    }
}
