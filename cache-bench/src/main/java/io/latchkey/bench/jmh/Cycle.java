package io.latchkey.bench.jmh;

import org.openjdk.jmh.infra.ThreadParams;

/** A thread's way round and round through a sequence of keys; each thread starts elsewhere. */
final class Cycle {
  private final Long[] keys;
  private int position;

  Cycle(Long[] keys, ThreadParams thread) {
    this.keys = keys;
    position = (int) ((long) keys.length * thread.getThreadIndex() / thread.getThreadCount());
  }

  Long next() {
    Long key = keys[position];
    position = position + 1 == keys.length ? 0 : position + 1;
    return key;
  }
}
