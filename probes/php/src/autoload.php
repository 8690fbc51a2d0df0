<?php

/*
 * PSR-4 for Sectax\Probe, so that the probe runs without composer; composer.json says the same.
 */

declare(strict_types=1);

spl_autoload_register(static function (string $class): void {
    $prefix = 'Sectax\\Probe\\';
    if (!str_starts_with($class, $prefix)) {
        return;
    }
    $file = __DIR__ . '/' . str_replace('\\', '/', substr($class, strlen($prefix))) . '.php';
    if (is_file($file)) {
        require $file;
    }
});
