package io.latchkey.storage.http.server;

/** What a path names. Told apart by length and the second character before any comparison. */
enum Target {
  OBJECT("GET, HEAD, PUT, DELETE"),
  OBJECTS("POST, PUT"),
  CHANGES("GET, HEAD"),
  METRICS("GET, HEAD"),
  HEALTH("GET, HEAD"),
  CAPABILITIES("GET, HEAD"),
  NOTHING("");

  /** Where the key begins in the path of an {@link #OBJECT}. */
  static final int KEY_START = "/objects/".length();

  /** The methods that it takes. */
  final String allowed;

  Target(String allowed) {
    this.allowed = allowed;
  }

  /**
   * The target of a path.
   *
   * @param path begins with the path
   * @param end where the path ends
   */
  static Target of(String path, int end) {
    if (end < 2) {
      return NOTHING;
    }
    char first = path.charAt(1);
    if (first == 'o') {
      if (end >= KEY_START && path.startsWith("objects/", 1)) {
        return OBJECT;
      }
      return is("/objects", path, end) ? OBJECTS : NOTHING;
    }
    return switch (first) {
      case 'c' ->
          is("/changes", path, end)
              ? CHANGES
              : is("/capabilities", path, end) ? CAPABILITIES : NOTHING;
      case 'm' -> is("/metrics", path, end) ? METRICS : NOTHING;
      case 'h' -> is("/health", path, end) ? HEALTH : NOTHING;
      default -> NOTHING;
    };
  }

  private static boolean is(String name, String path, int end) {
    return end == name.length() && path.startsWith(name);
  }
}
