package io.latchkey.bench.memory;

import org.jspecify.annotations.Nullable;

/** Objects told apart by identity: open addressing in one array, which millions of them need. */
final class IdentitySet {
  private @Nullable Object[] table;
  private int size;

  IdentitySet(int expected) {
    table = new Object[Integer.highestOneBit(Math.max(16, expected)) * 4];
  }

  /** Adds an object; false if it was there. */
  boolean add(Object object) {
    if (!place(table, object)) {
      return false;
    }
    if (++size > table.length / 2) {
      grow();
    }
    return true;
  }

  private void grow() {
    @Nullable Object[] larger = new Object[Math.multiplyExact(table.length, 2)];
    for (Object object : table) {
      if (object != null) {
        place(larger, object);
      }
    }
    table = larger;
  }

  private static boolean place(@Nullable Object[] table, Object object) {
    int mask = table.length - 1;
    int hash = System.identityHashCode(object);
    int slot = (hash ^ hash >>> 15) & mask;
    while (table[slot] != null) {
      if (table[slot] == object) {
        return false;
      }
      slot = slot + 1 & mask;
    }
    table[slot] = object;
    return true;
  }
}
