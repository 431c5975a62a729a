package io.latchkey.cache.internal;

import org.jspecify.annotations.Nullable;

/** A flight as the tests need it: an entry that loads, led by nobody in particular. */
final class Flight {
  /** What a published object has in its field. */
  static final int NUMBER = 42;

  final Entry entry = new Entry("key", 1, new Bottom());

  /** Ends the load as a leader does that found an object. */
  void settle() {
    Node top = entry.close();
    if (top != null) {
      Payload payload = new Payload(NUMBER);
      entry.keep(top, payload, Entry.READY);
      new Wake(Runnable::run).start(top, payload, false, true);
    }
  }

  /** The number in an object, or -1 when there is no object. */
  static int number(@Nullable Object object) {
    return object instanceof Payload payload ? payload.number : -1;
  }

  /** An object whose field is not final, so that only its publication makes it visible. */
  private static final class Payload {
    int number;

    Payload(int number) {
      this.number = number;
    }
  }

  private static final class Bottom extends Token {
    @Override
    @Nullable Leader leader() {
      return null;
    }
  }
}
