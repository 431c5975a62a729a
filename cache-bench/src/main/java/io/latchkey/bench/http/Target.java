package io.latchkey.bench.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.latchkey.bench.console.BadInputException;
import java.nio.ByteBuffer;

/** What is asked for. */
public enum Target {
  /** One object, cached from the second request on. */
  HIT,
  /** A path that there is not. */
  NOWHERE,
  /** Another object each time, of so many that they do not stay cached. */
  MISS;

  /** More than the server's cache holds, so that the policy never keeps one until its turn. */
  private static final int MISS_KEYS = 1 << 20;

  /** A target by its name in lower case. */
  public static Target of(String name) {
    for (Target target : values()) {
      if (target.label().equals(name)) {
        return target;
      }
    }
    throw new BadInputException("unknown target '" + name + "': use hit, nowhere or miss");
  }

  /** Its name on the command line. */
  public String label() {
    return name().toLowerCase(java.util.Locale.ROOT);
  }

  /** The status that is right. */
  int status() {
    return this == NOWHERE ? 404 : 200;
  }

  /** Puts the request with a number into a buffer; all have the same length. */
  void put(ByteBuffer to, long number) {
    switch (this) {
      case HIT -> to.put(HIT_REQUEST);
      case NOWHERE -> to.put(NOWHERE_REQUEST);
      case MISS -> {
        int start = to.position();
        to.put(MISS_REQUEST);
        int key = (int) (number % MISS_KEYS);
        for (int digit = start + MISS_DIGITS + 6; digit >= start + MISS_DIGITS; digit--) {
          to.put(digit, (byte) ('0' + key % 10));
          key /= 10;
        }
      }
    }
  }

  /** The length of a request. */
  int length() {
    return switch (this) {
      case HIT -> HIT_REQUEST.length;
      case NOWHERE -> NOWHERE_REQUEST.length;
      case MISS -> MISS_REQUEST.length;
    };
  }

  private static final byte[] HIT_REQUEST = request("/objects/hit-1");
  private static final byte[] NOWHERE_REQUEST = request("/nowhere");
  private static final byte[] MISS_REQUEST = request("/objects/m0000000");
  private static final int MISS_DIGITS = "GET /objects/m".length();

  private static byte[] request(String path) {
    return ("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n").getBytes(ISO_8859_1);
  }
}
