package io.latchkey.cache.internal;

/** An entry of a cache that is bounded by weight and keeps no time; 40 bytes. */
final class WeighedEntry extends Entry {
  private int weight;

  WeighedEntry(Object key, int hash, Node stack) {
    super(key, hash, stack);
  }

  WeighedEntry(Object key, int hash, Object outcome, byte state) {
    super(key, hash, outcome, state);
  }

  @Override
  int weight() {
    return weight;
  }

  @Override
  void weight(int units) {
    weight = units;
  }
}
