package io.latchkey.storage.testkit;

import io.latchkey.storage.CommitListener;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A listener that writes down the commits that it is told and checks the order as they come: {@code
 * whole} or {@code lost} first, then revisions without holes, one at a time. What is wrong is not
 * thrown at the storage but at the test, by the methods that wait.
 *
 * @param <K> the type of the keys
 */
public class CommitRecorder<K> extends EventRecorder<CommitRecorder.Event<K>>
    implements CommitListener<K> {
  /** One call of the listener. */
  public enum Kind {
    /** {@link CommitListener#committed}. */
    COMMITTED,
    /** {@link CommitListener#lost}. */
    LOST,
    /** {@link CommitListener#whole}. */
    WHOLE
  }

  /**
   * What was told.
   *
   * @param kind which call
   * @param epoch the epoch; 0 if it is {@link Kind#LOST}
   * @param revision the revision; 0 if it is {@link Kind#LOST}
   * @param keys the keys, empty unless it is {@link Kind#COMMITTED}
   * @param thread the thread that called
   * @param <K> the type of the keys
   */
  public record Event<K>(Kind kind, long epoch, long revision, List<K> keys, Thread thread) {}

  /** The last {@code whole} or {@code committed} after it; null in a gap. */
  private @Nullable Event<K> last;

  /**
   * Makes a recorder.
   *
   * @param patience how long the methods that wait do so before they fail
   */
  public CommitRecorder(Duration patience) {
    super(patience);
  }

  @Override
  public void committed(long epoch, long revision, Collection<? extends K> keys) {
    tell(new Event<>(Kind.COMMITTED, epoch, revision, List.copyOf(keys), Thread.currentThread()));
  }

  @Override
  public void lost(String reason) {
    tell(new Event<>(Kind.LOST, 0, 0, List.of(), Thread.currentThread()));
  }

  @Override
  public void whole(long epoch, long head) {
    tell(new Event<>(Kind.WHOLE, epoch, head, List.of(), Thread.currentThread()));
  }

  @Override
  final void check(Event<K> event) {
    if (event.kind != Kind.COMMITTED) {
      return;
    }
    Event<K> before = last;
    if (before == null) {
      wrong("revision " + event.revision + " was told before whole");
    } else if (event.epoch != before.epoch || event.revision != before.revision + 1) {
      wrong(
          "revision "
              + event.revision
              + " of epoch "
              + event.epoch
              + " was told after revision "
              + before.revision
              + " of epoch "
              + before.epoch);
    }
  }

  @Override
  final void ended(Event<K> event, boolean taken) {
    last = taken && event.kind != Kind.LOST ? event : null;
  }

  /**
   * Waits until the feed is complete and has told everything up to a revision.
   *
   * @param revision the revision
   */
  public final void awaitRevision(long revision) {
    await(
        "revision " + revision,
        seen -> {
          Event<K> current = last;
          return current != null && current.revision >= revision;
        });
  }

  /**
   * How often something was told so far.
   *
   * @param kind which call
   * @return the number
   */
  public final long count(Kind kind) {
    return events().stream().filter(event -> event.kind == kind).count();
  }

  /**
   * The commits told so far.
   *
   * @return their keys by their revisions; of one that was told again, what was told last
   */
  public final Map<Long, Set<K>> commits() {
    Map<Long, Set<K>> commits = new TreeMap<>();
    for (Event<K> event : events()) {
      if (event.kind == Kind.COMMITTED) {
        commits.put(event.revision, Set.copyOf(event.keys));
      }
    }
    return commits;
  }
}
