package io.latchkey.cache.internal;

import org.jspecify.annotations.Nullable;

/**
 * The outcome for a leader whose load was interrupted: its flight went on without it or ended.
 *
 * @param cause what the load threw; null for a flight whose load did not begin
 */
record Interruption(@Nullable Throwable cause) {}
