package io.latchkey.cache.internal;

import org.jspecify.annotations.Nullable;

/** The token of a flight that no thread leads. */
final class NoLeader extends Token {
  @Override
  @Nullable Leader leader() {
    return null;
  }
}
