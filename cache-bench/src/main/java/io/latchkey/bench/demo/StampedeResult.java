package io.latchkey.bench.demo;

/**
 * What one stampede measured.
 *
 * @param loads loads from the store
 * @param lastNanos from the release of the callers until the last one had the object
 * @param wakeNanos from the end of the last load until the last caller had the object
 * @param stale callers that got a version older than the acknowledged one
 */
record StampedeResult(long loads, long lastNanos, long wakeNanos, long stale) {}
