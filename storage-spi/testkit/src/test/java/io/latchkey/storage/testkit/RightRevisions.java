package io.latchkey.storage.testkit;

import io.latchkey.storage.CommitListener;
import io.latchkey.storage.MemoryStorage;
import io.latchkey.storage.Revision;
import io.latchkey.storage.RevisionStorage;
import io.latchkey.storage.StorageException;
import io.latchkey.storage.Subscription;
import io.latchkey.storage.WritableStorage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A right storage, for the faulty ones to begin with; what is in it outlives a close. */
class RightRevisions implements WritableStorage<String, String>, RevisionStorage<String, String> {
  final MemoryStorage<String, String> memory;
  private final List<Subscription> subscriptions = new ArrayList<>();
  private volatile boolean closed;

  RightRevisions(int history) {
    this(MemoryStorage.create(history));
  }

  RightRevisions(MemoryStorage<String, String> memory) {
    this.memory = memory;
  }

  /** Opens it again. */
  RightRevisions again() {
    return new RightRevisions(memory);
  }

  private void checkOpen() throws StorageException {
    if (closed) {
      throw new StorageException(name(), name() + " is closed", null, false);
    }
  }

  @Override
  public @Nullable String load(String key) throws Exception {
    checkOpen();
    return memory.load(key);
  }

  @Override
  public Revision<String> loadAt(String key, long at) throws Exception {
    checkOpen();
    return memory.loadAt(key, at);
  }

  @Override
  public Map<String, Revision<String>> loadAllAt(Set<? extends String> keys, long at)
      throws Exception {
    checkOpen();
    return RevisionStorage.super.loadAllAt(keys, at);
  }

  @Override
  public long head() throws Exception {
    checkOpen();
    return memory.head();
  }

  @Override
  public Subscription commits(long from, CommitListener<String> listener) throws Exception {
    checkOpen();
    Subscription subscription = memory.commits(from, listener);
    synchronized (subscriptions) {
      subscriptions.add(subscription);
    }
    return subscription;
  }

  @Override
  public long commit(Map<String, Optional<String>> changes, long base) throws Exception {
    checkOpen();
    return memory.commit(changes, base);
  }

  @Override
  public void store(String key, String value) throws Exception {
    checkOpen();
    memory.store(key, value);
  }

  @Override
  public void storeAll(Map<? extends String, ? extends String> entries) throws Exception {
    checkOpen();
    memory.storeAll(entries);
  }

  @Override
  public void delete(String key) throws Exception {
    checkOpen();
    memory.delete(key);
  }

  @Override
  public Map<String, String> loadAll(Set<? extends String> keys) throws Exception {
    checkOpen();
    return memory.loadAll(keys);
  }

  @Override
  public String name() {
    return "right";
  }

  @Override
  public void close() {
    closed = true;
    synchronized (subscriptions) {
      subscriptions.forEach(Subscription::close);
    }
  }
}
