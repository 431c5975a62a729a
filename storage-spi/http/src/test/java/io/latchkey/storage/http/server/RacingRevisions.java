package io.latchkey.storage.http.server;

import io.latchkey.storage.CommitListener;
import io.latchkey.storage.Revision;
import io.latchkey.storage.RevisionStorage;
import io.latchkey.storage.Subscription;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A storage of revisions only, in which somebody gets ahead of a commit. */
final class RacingRevisions implements RevisionStorage<String, String> {
  private final RevisionStorage<String, String> storage;
  private final AtomicReference<@Nullable Callable<?>> racer = new AtomicReference<>();

  RacingRevisions(RevisionStorage<String, String> storage) {
    this.storage = storage;
  }

  /** Is done right before the next commit. */
  void race(Callable<?> other) {
    racer.set(other);
  }

  @Override
  public long commit(Map<String, Optional<String>> changes, long base) throws Exception {
    Callable<?> other = racer.getAndSet(null);
    if (other != null) {
      other.call();
    }
    return storage.commit(changes, base);
  }

  @Override
  public Revision<String> loadAt(String key, long at) throws Exception {
    return storage.loadAt(key, at);
  }

  @Override
  public long head() throws Exception {
    return storage.head();
  }

  @Override
  public Subscription commits(long from, CommitListener<String> listener) throws Exception {
    return storage.commits(from, listener);
  }
}
