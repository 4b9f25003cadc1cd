<?php
// php -S 127.0.0.1:8000 receiver.php

/** Returns the body of a genuine request, or null: then reject it. */
function verify(string $raw, string $secret): ?object
{
    $callback = json_decode($raw);
    if (!is_object($callback->body ?? null) || !is_string($callback->signature ?? null)) {
        return null;
    }
    $text = json_encode(
        $callback->body,
        JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_LINE_TERMINATORS
    );
    $expected = hash_hmac('sha256', $text, $secret);
    return hash_equals($expected, $callback->signature) ? $callback->body : null;
}

$body = verify(file_get_contents('php://input'), getenv('WEBHOOK_SECRET'));
http_response_code($body === null ? 401 : 204);
