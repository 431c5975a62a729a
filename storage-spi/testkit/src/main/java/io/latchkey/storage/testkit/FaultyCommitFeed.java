package io.latchkey.storage.testkit;

import io.latchkey.storage.CommitListener;
import io.latchkey.storage.RevisionStorage;
import io.latchkey.storage.Subscription;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The commit feed of a {@link FaultyRevisionStorage}. Until told otherwise it hands on what the
 * storage below tells, at once and on the same thread.
 *
 * <p>Some of what it does keeps the contract of {@link CommitListener}: commits that are held and
 * come late, in portions and on other threads ({@link #hold}, {@link #release(int)}); a connection
 * that is lost and comes back ({@link #lose}, {@link #reconnect}, {@link #reconnectAtHead}); {@link
 * #unsettle} does all of this at random. The rest breaks it, for those who must notice: {@link
 * #drop}, {@link #repeat}, {@link #swap}, {@link #split}, {@link #changeEpoch}.
 *
 * <p>What is asked for befalls all subscriptions that there are, each for itself; holding, a lost
 * connection and unsettledness also later ones. Thread-safe; a commit that another thread is
 * delivering is not waited for.
 *
 * @param <K> the type of the keys
 */
public final class FaultyCommitFeed<K> {
  private final RevisionStorage<K, ?> storage;
  private final List<CommitRelay<K>> relays = new CopyOnWriteArrayList<>();
  private volatile @Nullable Throwable refusal;
  private volatile @Nullable String loss;
  private volatile @Nullable Long seed;
  private volatile boolean holding;

  FaultyCommitFeed(RevisionStorage<K, ?> storage) {
    this.storage = storage;
  }

  private void each(Consumer<CommitRelay<K>> action) {
    relays.forEach(action);
  }

  /** Lets commits wait until they are released. */
  public void hold() {
    holding = true;
    each(CommitRelay::hold);
  }

  /**
   * Tells some of the commits that are held, on this thread, and holds the rest.
   *
   * @param commits how many at most, for each subscription
   */
  public void release(int commits) {
    each(relay -> relay.release(commits));
  }

  /** Tells all that is held, on this thread, and holds no more. */
  public void release() {
    holding = false;
    each(CommitRelay::releaseAll);
  }

  /**
   * How many commits are held.
   *
   * @return the number, for the subscription that has most of them
   */
  public int held() {
    return relays.stream().mapToInt(CommitRelay::held).max().orElse(0);
  }

  /**
   * Loses the connection: tells {@link CommitListener#lost}; what was held, and what is committed
   * before the connection comes back, is not told. Who subscribes meanwhile is told {@code lost},
   * too.
   *
   * @param reason what the listeners are told
   */
  public void lose(String reason) {
    loss = Objects.requireNonNull(reason, "reason");
    each(relay -> relay.lose(reason));
  }

  /**
   * Brings a lost connection back where it was: tells {@link CommitListener#whole} for the last
   * revision that each listener took, and then what it missed, as far as the storage knows it.
   */
  public void reconnect() {
    loss = null;
    each(CommitRelay::reconnect);
  }

  /**
   * Brings a lost connection back at the head: tells {@link CommitListener#whole} for that, and
   * nothing of what was missed.
   */
  public void reconnectAtHead() {
    loss = null;
    each(CommitRelay::reconnectAtHead);
  }

  /**
   * Lets commits vanish, which the contract forbids.
   *
   * @param commits how many, from the next one on
   */
  public void drop(int commits) {
    each(relay -> relay.drop(commits));
  }

  /**
   * Lets commits be told twice, which the contract forbids.
   *
   * @param commits how many, from the next one on that is not dropped
   */
  public void repeat(int commits) {
    each(relay -> relay.repeat(commits));
  }

  /**
   * Lets commits be told in two events of the same revision, with a half of the keys each, which
   * the contract forbids.
   *
   * @param commits how many, from the next one on that is neither dropped nor repeated
   */
  public void split(int commits) {
    each(relay -> relay.split(commits));
  }

  /** Lets the next two commits be told in reverse order, which the contract forbids. */
  public void swap() {
    each(CommitRelay::swap);
  }

  /**
   * Lets all that follows have another epoch, without {@code whole}, which the contract forbids.
   */
  public void changeEpoch() {
    each(CommitRelay::changeEpoch);
  }

  /**
   * Lets subscribing fail, until it is called with null.
   *
   * @param failure thrown as it is by {@code commits}, or null
   */
  public void refuse(@Nullable Throwable failure) {
    refusal = failure;
  }

  /**
   * Makes the feed erratic within its contract, until {@link #settle}: at each commit it decides by
   * a random number to tell what it has, a part of it, or nothing yet, to lose the connection, or
   * to bring it back, where it was or at the head.
   *
   * @param randomSeed the same seed and the same order of commits give the same
   */
  public void unsettle(long randomSeed) {
    seed = randomSeed;
    int number = 0;
    for (CommitRelay<K> relay : relays) {
      relay.unsettle(randomSeed + number++);
    }
  }

  /** Ends what {@link #unsettle}, {@link #hold} and {@link #lose} began, and tells all there is. */
  public void settle() {
    seed = null;
    holding = false;
    loss = null;
    each(CommitRelay::settle);
  }

  Subscription subscribe(long from, CommitListener<K> listener) throws Exception {
    Objects.requireNonNull(listener, "listener");
    Throwable failure = refusal;
    if (failure != null) {
      throw Sneaky.raise(failure);
    }
    CommitRelay<K> relay = new CommitRelay<>(storage, listener, from, relays::remove);
    String lost = loss;
    if (lost != null) {
      relay.lose(lost);
    }
    if (holding) {
      relay.hold();
    }
    relay.begin();
    Long unsettled = seed;
    if (unsettled != null) {
      relay.unsettle(unsettled + relays.size());
    }
    relays.add(relay);
    return relay;
  }
}
