package io.latchkey.bench.demo;

import io.latchkey.bench.peers.CacheUnderTest;
import io.latchkey.bench.peers.Implementation;
import io.latchkey.storage.WritableStorage;
import java.util.ArrayList;
import java.util.List;

/** One cache of the demonstration, with what was measured on it. */
final class Contender implements AutoCloseable {
  private final Implementation implementation;
  private final MeteredStorage storage;
  private final int bound;
  private final List<PhaseResult> phases = new ArrayList<>();
  private final List<StampedeResult> stampedes = new ArrayList<>();
  private CacheUnderTest<Long, VersionedObject> cache;
  private int writesSeen;

  Contender(
      Implementation implementation, WritableStorage<Long, VersionedObject> store, int bound) {
    this.implementation = implementation;
    this.storage = new MeteredStorage(store);
    this.bound = bound;
    this.cache = implementation.over(storage, bound);
  }

  Implementation implementation() {
    return implementation;
  }

  MeteredStorage storage() {
    return storage;
  }

  CacheUnderTest<Long, VersionedObject> cache() {
    return cache;
  }

  /** The results of the read phases, one for each round. */
  List<PhaseResult> phases() {
    return phases;
  }

  /** The results of the stampedes, one for each round. */
  List<StampedeResult> stampedes() {
    return stampedes;
  }

  /** Goes on with an empty cache. */
  void startEmpty() {
    cache.close();
    cache = implementation.over(storage, bound);
  }

  /** Invalidates what was written to the store through other caches since this one's last phase. */
  void beginPhase(Versions versions) {
    versions.writtenSince(writesSeen, object -> cache.invalidate((long) object));
  }

  /** What was written until now went through this cache. */
  void endPhase(Versions versions) {
    writesSeen = versions.writes();
  }

  @Override
  public void close() {
    cache.close();
  }
}
