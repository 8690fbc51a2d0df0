<?php

declare(strict_types=1);

namespace Sectax\Probe\Jwt;

use UnexpectedValueException;

/** This token, or this part of one, must not be believed. */
final class InvalidToken extends UnexpectedValueException
{
}
