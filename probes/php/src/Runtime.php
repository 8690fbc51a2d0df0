<?php

declare(strict_types=1);

namespace Sectax\Probe;

use ReflectionExtension;
use Sectax\Probe\Protocol\Refusal;

/** Which PHP this is, with which libraries, and what of them is missing. */
final class Runtime
{
    /** @return array{name: string, version: string} */
    public static function describe(): array
    {
        return ['name' => 'PHP', 'version' => PHP_VERSION];
    }

    /**
     * The libraries that do the work, and whatever else changes how fast PHP code runs.
     *
     * @return list<array{name: string, version: string}>
     */
    public static function libraries(): array
    {
        $opcache = self::opcache();
        $libraries = [
            ['name' => 'openssl', 'version' => self::openssl()],
            ['name' => 'sodium', 'version' => extension_loaded('sodium') ? SODIUM_LIBRARY_VERSION : null],
            ['name' => 'hash', 'version' => phpversion('hash') ?: null],
            ['name' => 'opcache', 'version' => self::switch($opcache['opcache_enabled'] ?? false)],
            ['name' => 'jit', 'version' => self::switch($opcache['jit']['on'] ?? false)],
            ['name' => 'xdebug', 'version' => phpversion('xdebug') ?: null], // slows every call down
        ];

        return array_values(array_filter($libraries, static fn (array $library) => $library['version'] !== null));
    }

    /**
     * @throws Refusal skipped, when the function is not there
     */
    public static function need(string $extension, string $function): void
    {
        if (!function_exists($function)) {
            throw Refusal::skipped("PHP's $extension extension is missing: no $function()", 'apt-get install php-cli');
        }
    }

    /**
     * The version of the libcrypto that is loaded.
     *
     * OPENSSL_VERSION_TEXT is the version of the headers that PHP was built with, not of the library that works; the
     * extension's page in phpinfo() knows both.
     */
    private static function openssl(): ?string
    {
        if (!extension_loaded('openssl')) {
            return null;
        }
        ob_start();
        (new ReflectionExtension('openssl'))->info();
        $page = (string) ob_get_clean();

        return preg_match('/^OpenSSL Library Version => (.+)$/m', $page, $match) === 1
            ? trim($match[1])
            : OPENSSL_VERSION_TEXT . ' (of the headers; the library loaded does not say)';
    }

    /** @return array<string, mixed> empty where OPcache is not loaded, is off, or may not be asked */
    private static function opcache(): array
    {
        $status = function_exists('opcache_get_status') ? @opcache_get_status(false) : false;

        return $status === false ? [] : $status;
    }

    private static function switch(bool $on): string
    {
        return $on ? 'on' : 'off';
    }
}
