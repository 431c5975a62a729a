package io.latchkey.bench.flight;

import io.latchkey.bench.console.BadInputException;
import java.lang.management.ManagementFactory;
import java.lang.reflect.InvocationTargetException;
import java.util.Locale;

/**
 * The threads that call. Virtual ones, and the bytes they allocate, are reached by reflection,
 * since JDK 17 has none.
 */
public enum Callers {
  /** A thread of the system each. */
  PLATFORM {
    @Override
    Thread unstarted(Runnable work) {
      Thread thread = new Thread(work);
      thread.setDaemon(true);
      return thread;
    }
  },
  /** Virtual threads, from JDK 21 on. */
  VIRTUAL {
    @Override
    Thread unstarted(Runnable work) {
      try {
        Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
        return (Thread)
            Class.forName("java.lang.Thread$Builder")
                .getMethod("unstarted", Runnable.class)
                .invoke(builder, work);
      } catch (NoSuchMethodException
          | ClassNotFoundException
          | IllegalAccessException
          | InvocationTargetException e) {
        throw new IllegalStateException("this JDK has no virtual threads", e);
      }
    }
  };

  private static final int VIRTUAL_FROM = 21;

  private static final com.sun.management.ThreadMXBean THREADS =
      (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();

  /** The name on the command line. */
  public String id() {
    return name().toLowerCase(Locale.ROOT);
  }

  abstract Thread unstarted(Runnable work);

  /** Bytes that the calling thread has allocated; of platform threads only. */
  static long allocatedByThisThread() {
    return THREADS.getCurrentThreadAllocatedBytes();
  }

  /** Bytes that all threads have allocated; from JDK 21 on. */
  static long allocatedByAll() {
    try {
      return (long)
          com.sun.management.ThreadMXBean.class
              .getMethod("getTotalThreadAllocatedBytes")
              .invoke(THREADS);
    } catch (NoSuchMethodException | IllegalAccessException | InvocationTargetException e) {
      throw new IllegalStateException("this JDK does not count what all threads allocate", e);
    }
  }

  /** The kind of that name, if this JDK has it. */
  public static Callers of(String id) {
    for (Callers callers : values()) {
      if (callers.id().equals(id)) {
        if (callers == VIRTUAL && Runtime.version().feature() < VIRTUAL_FROM) {
          throw new BadInputException(
              "virtual threads need JDK 21 or later, this is "
                  + Runtime.version().feature()
                  + ": use --threads platform");
        }
        return callers;
      }
    }
    throw new BadInputException("unknown threads '" + id + "': use one of platform, virtual");
  }
}
