package io.latchkey.cache.internal;

import org.jspecify.annotations.Nullable;

/** The bottom of a flight's stack: names who runs the load. */
abstract class Token extends Node {
  /** The thread that runs the load, or null while none does (still queued, or asynchronous). */
  abstract @Nullable Leader leader();
}
