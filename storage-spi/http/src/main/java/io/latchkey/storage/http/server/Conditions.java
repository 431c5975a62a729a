package io.latchkey.storage.http.server;

import org.jspecify.annotations.Nullable;

/**
 * What a write depends on.
 *
 * @param match the tags of {@code If-Match}, or null
 * @param noneMatch the tags of {@code If-None-Match}, or null
 */
record Conditions(@Nullable EntityTags match, @Nullable EntityTags noneMatch) {
  /** Whether there are any. */
  boolean any() {
    return match != null || noneMatch != null;
  }

  /** Whether they hold for an object with this tag, or for none. */
  boolean hold(@Nullable String etag) {
    return (match == null || match.matchesStrongly(etag))
        && (noneMatch == null || !noneMatch.matchesWeakly(etag));
  }
}
