<?php

/*
 * The probe's autoloader, and PSR-4 for its tests; warnings are errors, as they are in bin/probe.php.
 */

declare(strict_types=1);

require __DIR__ . '/../src/autoload.php';

spl_autoload_register(static function (string $class): void {
    $prefix = 'Sectax\\Probe\\Tests\\';
    if (str_starts_with($class, $prefix)) {
        require __DIR__ . '/' . str_replace('\\', '/', substr($class, strlen($prefix))) . '.php';
    }
});
