package io.latchkey.cache.testing;

import io.latchkey.storage.CommitListener;
import io.latchkey.storage.Revision;
import io.latchkey.storage.RevisionStorage;
import io.latchkey.storage.Subscription;
import java.util.Map;
import java.util.Optional;

/** Hands everything on to another storage, for tests that change one thing; loads singly. */
public class ForwardingRevisions<K, V> implements RevisionStorage<K, V> {
  private final RevisionStorage<K, V> storage;

  /** Over this storage. */
  public ForwardingRevisions(RevisionStorage<K, V> storage) {
    this.storage = storage;
  }

  @Override
  public Revision<V> loadAt(K key, long at) throws Exception {
    return storage.loadAt(key, at);
  }

  @Override
  public long head() throws Exception {
    return storage.head();
  }

  @Override
  public Subscription commits(long from, CommitListener<K> listener) throws Exception {
    return storage.commits(from, listener);
  }

  @Override
  public long commit(Map<K, Optional<V>> changes, long base) throws Exception {
    return storage.commit(changes, base);
  }

  @Override
  public String name() {
    return storage.name();
  }
}
