package io.latchkey.cache.testing;

import java.util.Optional;
import java.util.concurrent.ThreadFactory;

/** Virtual threads where the JDK has them; compiled for a JDK that has not. */
public final class VirtualThreads {
  private VirtualThreads() {}

  /** A factory of virtual threads, empty before JDK 21. */
  public static Optional<ThreadFactory> factory() {
    if (Runtime.version().feature() < 21) {
      return Optional.empty();
    }
    try {
      Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
      Class<?> type = Class.forName("java.lang.Thread$Builder");
      return Optional.of((ThreadFactory) type.getMethod("factory").invoke(builder));
    } catch (ReflectiveOperationException e) {
      throw new AssertionError("no virtual threads on JDK " + Runtime.version(), e);
    }
  }
}
