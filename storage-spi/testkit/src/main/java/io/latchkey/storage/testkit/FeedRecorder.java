package io.latchkey.storage.testkit;

import io.latchkey.storage.FeedListener;
import java.time.Duration;
import java.util.Collection;
import java.util.List;

/**
 * A listener that writes down what it is told and checks the order as it comes: {@code whole}
 * first, then events whose sequence has no holes, one at a time. What is wrong is not thrown at the
 * storage but at the test, by the methods that wait.
 *
 * @param <K> the type of the keys
 */
public class FeedRecorder<K> extends EventRecorder<FeedRecorder.Event<K>>
    implements FeedListener<K> {
  /** One call of the listener. */
  public enum Kind {
    /** {@link FeedListener#changed}. */
    CHANGED,
    /** {@link FeedListener#changedAll}. */
    CHANGED_ALL,
    /** {@link FeedListener#lost}. */
    LOST,
    /** {@link FeedListener#whole}. */
    WHOLE
  }

  /**
   * What was told.
   *
   * @param kind which call
   * @param epoch the epoch; 0 if it is {@link Kind#LOST}
   * @param sequence the sequence number; 0 if it is {@link Kind#LOST}
   * @param keys the keys, empty unless it is {@link Kind#CHANGED}
   * @param thread the thread that called
   * @param <K> the type of the keys
   */
  public record Event<K>(Kind kind, long epoch, long sequence, List<K> keys, Thread thread) {}

  /** Between {@code whole} and {@code lost}. */
  private boolean complete;

  private long epoch;
  private long sequence;
  private boolean begun;

  /**
   * Makes a recorder.
   *
   * @param patience how long the methods that wait do so before they fail
   */
  public FeedRecorder(Duration patience) {
    super(patience);
  }

  @Override
  public void changed(long eventEpoch, long number, Collection<? extends K> keys) {
    tell(Kind.CHANGED, eventEpoch, number, List.copyOf(keys));
  }

  @Override
  public void changedAll(long eventEpoch, long number) {
    tell(Kind.CHANGED_ALL, eventEpoch, number, List.of());
  }

  @Override
  public void lost(String reason) {
    tell(Kind.LOST, 0, 0, List.of());
  }

  @Override
  public void whole(long eventEpoch, long number) {
    tell(Kind.WHOLE, eventEpoch, number, List.of());
  }

  private void tell(Kind kind, long eventEpoch, long number, List<K> keys) {
    tell(new Event<>(kind, eventEpoch, number, keys, Thread.currentThread()));
  }

  @Override
  final void check(Event<K> event) {
    switch (event.kind()) {
      case WHOLE -> {
        complete = true;
        epoch = event.epoch();
        sequence = event.sequence();
      }
      case LOST -> complete = false;
      case CHANGED, CHANGED_ALL -> {
        if (!begun) {
          wrong("an event was told before whole");
        }
        if (complete && (event.epoch() != epoch || event.sequence() != sequence + 1)) {
          wrong(
              "event "
                  + event.sequence()
                  + " of epoch "
                  + event.epoch()
                  + " was told after event "
                  + sequence
                  + " of epoch "
                  + epoch);
        }
        sequence = event.sequence();
      }
    }
    begun = true;
  }

  /** Waits until the feed is complete. */
  public final void awaitWhole() {
    await("whole", events -> complete);
  }

  /**
   * Waits until the change of the key was told, by name or with all others.
   *
   * @param key the key
   */
  public final void awaitChanged(K key) {
    await(
        "the change of " + key,
        seen ->
            seen.stream().anyMatch(e -> e.kind() == Kind.CHANGED_ALL || e.keys().contains(key)));
  }

  /**
   * The epoch of the last {@code whole}.
   *
   * @return the epoch
   */
  public final long epoch() {
    return locked(() -> epoch);
  }

  /**
   * The sequence number of the last event.
   *
   * @return the number
   */
  public final long sequence() {
    return locked(() -> sequence);
  }
}
