<?php

declare(strict_types=1);

namespace Sectax\Probe\Jwt;

/** What kind of key and of call an algorithm needs. */
enum Family
{
    case Hmac;
    case Rsa;
    case Ecdsa;
    case Ed25519;
}
