package io.latchkey.storage.http.server;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The list of entity tags in an {@code If-Match} or {@code If-None-Match} field.
 *
 * @param any whether it is {@code *}
 * @param tags the tags as they stand, weak ones with their {@code W/}
 */
record EntityTags(boolean any, List<String> tags) {
  /**
   * Reads a field.
   *
   * @throws Refusal if it is malformed
   */
  static EntityTags parse(String field, String text) {
    String list = text.strip();
    if (list.equals("*")) {
      return new EntityTags(true, List.of());
    }
    List<String> tags = new ArrayList<>();
    int at = 0;
    while (true) {
      int quote = list.startsWith("W/", at) ? at + 2 : at;
      int end =
          quote < list.length() && list.charAt(quote) == '"' ? list.indexOf('"', quote + 1) : -1;
      if (end < 0) {
        throw new Refusal(
            400, field + " is malformed: write * or entity tags as " + field + ": \"17\", \"18\"");
      }
      tags.add(list.substring(at, end + 1));
      at = skipSpace(list, end + 1);
      if (at == list.length()) {
        return new EntityTags(false, tags);
      }
      if (list.charAt(at) != ',') {
        throw new Refusal(400, field + " is malformed: put a comma between entity tags");
      }
      at = skipSpace(list, at + 1);
    }
  }

  private static int skipSpace(String text, int from) {
    int at = from;
    while (at < text.length() && (text.charAt(at) == ' ' || text.charAt(at) == '\t')) {
      at++;
    }
    return at;
  }

  /** Whether a tag is among these, weak or not: the comparison of {@code If-None-Match}. */
  boolean matchesWeakly(@Nullable String etag) {
    if (etag == null) {
      return false;
    }
    if (any) {
      return true;
    }
    for (String tag : tags) {
      if (tag.startsWith("W/")
          ? tag.startsWith(etag, 2) && tag.length() == etag.length() + 2
          : tag.equals(etag)) {
        return true;
      }
    }
    return false;
  }

  /** Whether a tag is among these; weak ones never match: the comparison of {@code If-Match}. */
  boolean matchesStrongly(@Nullable String etag) {
    return etag != null && (any || tags.contains(etag));
  }
}
