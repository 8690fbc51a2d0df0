#!/usr/bin/env php
<?php

/*
 * The PHP probe of sectax: JSON lines in on stdin, JSON lines out on stdout, the log on stderr.
 * The protocol is ../../PROTOCOL.md.
 */

declare(strict_types=1);

ini_set('display_errors', 'stderr');
ini_set('zend.exception_ignore_args', '1'); // a stack trace must not show a key

require __DIR__ . '/../src/autoload.php';

// A warning is an error here: it becomes a reply that says `failed`.
set_error_handler(static fn (int $severity, string $message, string $file, int $line): bool =>
    (error_reporting() & $severity) !== 0 && throw new ErrorException($message, 0, $severity, $file, $line));

(new Sectax\Probe\Probe())->serve(STDIN, STDOUT);
