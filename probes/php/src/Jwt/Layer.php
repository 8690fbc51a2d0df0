<?php

declare(strict_types=1);

namespace Sectax\Probe\Jwt;

/** How much is timed: the bare cryptographic call, or the whole token. */
enum Layer: string
{
    case Primitive = 'primitive';
    case Library = 'library';
}
