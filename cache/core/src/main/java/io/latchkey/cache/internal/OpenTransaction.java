package io.latchkey.cache.internal;

import io.latchkey.cache.Transaction;
import io.latchkey.storage.ConflictException;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A snapshot with changes on top, which are nobody else's until they are committed. */
final class OpenTransaction<K, V> extends OpenSnapshot<K, V> implements Transaction<K, V> {
  private final Map<K, Optional<V>> changes = new LinkedHashMap<>();

  OpenTransaction(LatchSnapshotCache<K, V> cache, long at, short era) {
    super(cache, at, era);
  }

  @Override
  @SuppressWarnings("OptionalAssignedToNull") // null is "not changed", which differs from "deleted"
  public @Nullable V get(K key) {
    Optional<V> change = changes.get(Objects.requireNonNull(key, "key"));
    if (change == null) {
      return super.get(key);
    }
    checkUsable();
    return change.orElse(null);
  }

  @Override
  @SuppressWarnings("OptionalAssignedToNull")
  public Map<K, V> getAll(Collection<? extends K> keys) {
    Set<K> asked = new LinkedHashSet<>(Objects.requireNonNull(keys, "keys")); // may change
    Set<K> unchanged = new LinkedHashSet<>();
    for (K key : asked) {
      if (!changes.containsKey(Objects.requireNonNull(key, "keys must not contain null"))) {
        unchanged.add(key);
      }
    }
    Map<K, V> read = super.getAll(unchanged);
    Map<K, V> values = new LinkedHashMap<>();
    for (K key : asked) {
      Optional<V> change = changes.get(key);
      V value = change == null ? read.get(key) : change.orElse(null);
      if (value != null) {
        values.put(key, value);
      }
    }
    return Collections.unmodifiableMap(values);
  }

  @Override
  public void put(K key, V value) {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(value, "value");
    checkUsable();
    changes.put(key, Optional.of(value));
  }

  @Override
  public void remove(K key) {
    Objects.requireNonNull(key, "key");
    checkUsable();
    changes.put(key, Optional.empty());
  }

  @Override
  public long commit() throws ConflictException {
    checkUsable();
    try {
      return changes.isEmpty() ? at() : cache.commit(Collections.unmodifiableMap(changes), at());
    } finally {
      close();
    }
  }

  @Override
  public String toString() {
    return "the transaction based on revision " + at();
  }
}
