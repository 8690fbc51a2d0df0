<?php

declare(strict_types=1);

namespace Sectax\Probe\Jwt;

/** When the key is made from its encoded form: once in `prepare`, or inside every timed operation. */
enum KeyUse: string
{
    case ParsedOnce = 'parsed-once';
    case ParsedPerCall = 'parsed-per-call';
}
