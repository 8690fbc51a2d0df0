<?php

declare(strict_types=1);

namespace Sectax\Probe\Protocol;

/** Carries lines between two streams and a session, until the session stops or the input ends. */
final class Server
{
    private const LONGEST_LINE = 16 * 1024 * 1024;

    /**
     * @param resource $input
     * @param resource $output
     */
    public function __construct(private readonly Session $session, private $input, private $output)
    {
    }

    public function run(): void
    {
        while (!$this->session->stopped() && ($line = fgets($this->input, self::LONGEST_LINE + 2)) !== false) {
            $reply = $this->complete($line)
                ? $this->session->answer($line)
                : $this->session->refuse('the line is longer than 16 MiB');
            fwrite($this->output, $reply . "\n");
            fflush($this->output);
        }
    }

    /** Whether this is a whole line; the rest of one that is too long is thrown away. */
    private function complete(string $line): bool
    {
        if (str_ends_with($line, "\n") || strlen($line) <= self::LONGEST_LINE) {
            return true; // the last line may end without a break
        }
        do {
            $rest = fgets($this->input, self::LONGEST_LINE);
        } while ($rest !== false && !str_ends_with($rest, "\n"));

        return false;
    }
}
