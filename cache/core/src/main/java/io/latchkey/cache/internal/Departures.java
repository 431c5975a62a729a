package io.latchkey.cache.internal;

import io.latchkey.cache.RemovalCause;
import io.latchkey.cache.RemovalListener;
import java.lang.System.Logger;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Tells the removal listener what left the cache; on the executor, with no lock held. */
final class Departures {
  private static final Logger LOG = System.getLogger("io.latchkey.cache");

  private final @Nullable RemovalListener<Object, Object> listener;
  private final Executor executor;

  @SuppressWarnings("unchecked")
  <K, V> Departures(@Nullable RemovalListener<? super K, ? super V> listener, Executor executor) {
    this.listener = (RemovalListener<Object, Object>) listener;
    this.executor = executor;
  }

  /**
   * An entry has left.
   *
   * @param outcome what it held; absences and failures are no objects, so the listener is not told
   */
  void left(Entry entry, Object outcome, RemovalCause cause) {
    RemovalListener<Object, Object> to = listener;
    if (to == null || outcome == Entry.ABSENT || outcome instanceof Failure) {
      return;
    }
    Runnable notice =
        () -> {
          try {
            to.removed(entry.key, outcome, cause);
          } catch (Throwable thrown) {
            LOG.log(Logger.Level.WARNING, "a removal listener failed", thrown);
          }
        };
    try {
      Headroom.ensure();
      executor.execute(notice);
    } catch (RuntimeException rejected) {
      notice.run();
    }
  }
}
