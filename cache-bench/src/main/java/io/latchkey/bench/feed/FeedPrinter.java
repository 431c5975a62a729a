package io.latchkey.bench.feed;

import io.latchkey.storage.CommitListener;
import io.latchkey.storage.FeedListener;
import java.io.PrintWriter;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Collection;
import java.util.stream.Collectors;

/**
 * Prints events, a line each: the time, what happened, the epoch and number, the keys.
 *
 * @param <K> the type of the keys
 */
public final class FeedPrinter<K> {
  /** More are counted only. */
  private static final int MAX_KEYS = 100;

  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss.SSS");

  private final PrintWriter out;

  /**
   * Makes a printer.
   *
   * @param out where the lines go; flushed after each
   */
  public FeedPrinter(PrintWriter out) {
    this.out = out;
  }

  private void print(String event, long epoch, long number, String rest) {
    line(event + " " + Long.toUnsignedString(epoch, Character.MAX_RADIX) + "-" + number + rest);
  }

  private synchronized void line(String text) {
    out.println(LocalTime.now(ZoneId.systemDefault()).format(TIME) + "  " + text);
    out.flush();
  }

  private static String list(Collection<?> keys) {
    String shown =
        keys.stream().limit(MAX_KEYS).map(FeedPrinter::shown).collect(Collectors.joining(" "));
    int more = keys.size() - MAX_KEYS;
    return "  " + shown + (more > 0 ? " and " + more + " more" : "");
  }

  /** A key on one line. */
  private static String shown(Object key) {
    return key.toString().replaceAll("\\p{Cntrl}", "?");
  }

  /**
   * What prints the events of a watchable storage.
   *
   * @return a listener
   */
  public FeedListener<K> changes() {
    return new FeedListener<>() {
      @Override
      public void changed(long epoch, long sequence, Collection<? extends K> keys) {
        print("changed", epoch, sequence, list(keys));
      }

      @Override
      public void changedAll(long epoch, long sequence) {
        print("all    ", epoch, sequence, "  any object may have changed");
      }

      @Override
      public void lost(String reason) {
        line("lost     " + reason);
      }

      @Override
      public void whole(long epoch, long sequence) {
        print("whole  ", epoch, sequence, "");
      }
    };
  }

  /**
   * What prints the commits of a storage of revisions.
   *
   * @return a listener
   */
  public CommitListener<K> commits() {
    return new CommitListener<>() {
      @Override
      public void committed(long epoch, long revision, Collection<? extends K> keys) {
        print("commit ", epoch, revision, list(keys));
      }

      @Override
      public void lost(String reason) {
        line("lost     " + reason);
      }

      @Override
      public void whole(long epoch, long head) {
        print("whole  ", epoch, head, "");
      }
    };
  }
}
