<?php

declare(strict_types=1);

namespace Sectax\Probe;

use ReflectionExtension;
use Sectax\Probe\Jwt\Jwt;
use Sectax\Probe\Kit\Conversation;
use Sectax\Probe\Kit\Operation;
use Sectax\Probe\Primitives\Families;

/** What this probe has: libraries and operations. */
final class Probe extends Conversation
{
    protected const LACKS = "not in PHP's openssl, sodium or hash";

    protected function operations(): array
    {
        return ['sign' => Jwt::parameters(), 'verify' => Jwt::parameters()] + Families::parameters();
    }

    protected function ready(string $operation, array $parameters, array $inputs): Operation
    {
        $family = isset($parameters['layer']) ? Jwt::ready(...) : Families::ready(...);
        return $family($operation, $parameters, new Inputs($inputs));
    }

    /** The libraries that do the work, and whatever else changes how fast PHP code runs. */
    protected function libraries(): array
    {
        $opcache = (function_exists('opcache_get_status') ? @opcache_get_status(false) : false) ?: [];
        $versions = array_filter([
            'openssl' => self::openssl(),
            'sodium' => extension_loaded('sodium') ? SODIUM_LIBRARY_VERSION : null,
            'hash' => phpversion('hash'),
            'opcache' => $opcache['opcache_enabled'] ?? false ? 'on' : 'off',
            'jit' => $opcache['jit']['on'] ?? false ? 'on' : 'off',
            'xdebug' => phpversion('xdebug'), // slows every call down
        ]);
        return array_map(
            static fn (string $name, string $version): array => ['name' => $name, 'version' => $version],
            array_keys($versions),
            $versions,
        );
    }

    /** Of the libcrypto that is loaded, as in phpinfo(): OPENSSL_VERSION_TEXT is that of PHP's headers. */
    private static function openssl(): ?string
    {
        if (!extension_loaded('openssl')) {
            return null;
        }
        ob_start();
        (new ReflectionExtension('openssl'))->info();
        return preg_match('/^OpenSSL Library Version => (.+)$/m', (string) ob_get_clean(), $match) === 1
            ? trim($match[1])
            : OPENSSL_VERSION_TEXT . ' (of the headers; the library loaded does not say)';
    }
}
