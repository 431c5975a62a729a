package io.latchkey.cache.internal;

import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * The cache as a map: touches only the cache, counts nothing, loads nothing. Iteration is weakly
 * consistent: it goes through the table group by group and shows what is there at that moment.
 */
final class MapView<K, V> extends AbstractMap<K, V> implements ConcurrentMap<K, V> {
  private final LatchCache<K, V> cache;
  private final CacheParts<K, V> parts;

  MapView(LatchCache<K, V> cache, CacheParts<K, V> parts) {
    this.cache = cache;
    this.parts = parts;
  }

  @SuppressWarnings("unchecked")
  private @Nullable V object(@Nullable Object outcome) {
    return outcome == null
            || outcome == io.latchkey.cache.internal.Entry.ABSENT
            || outcome instanceof Failure
        ? null
        : (V) outcome;
  }

  /**
   * An entry as it was found, and its object; null when it has none to show. Where there is no
   * entry, both are null.
   */
  private record Seen<V>(io.latchkey.cache.internal.@Nullable Entry entry, @Nullable V value) {}

  /** Looks at the entry of a key, without using it. */
  private Seen<V> see(Object key) {
    cache.checkOpen();
    int hash = Table.hash(Objects.requireNonNull(key, "key"));
    for (; ; ) {
      var entry = parts.table.findSurely(key, hash);
      if (entry == null) {
        return new Seen<>(null, null);
      }
      Reads.Look look = parts.reads.look(entry, parts.flights.now());
      Object outcome = look == Reads.Look.HIT ? entry.outcomePlain() : null;
      // An entry that died meanwhile proves nothing: another one may have taken its place.
      if (outcome != null || (look != Reads.Look.HIT && look != Reads.Look.GONE)) {
        return new Seen<>(entry, object(outcome));
      }
    }
  }

  @Override
  public @Nullable V get(Object key) {
    cache.checkOpen();
    return object(cache.present(key, Table.hash(Objects.requireNonNull(key, "key"))));
  }

  @Override
  public boolean containsKey(Object key) {
    return see(key).value != null;
  }

  /** The object of an entry if it is one to show, without using it. */
  private @Nullable V shown(io.latchkey.cache.internal.Entry entry) {
    Lifetimes times = parts.lifetimes;
    Object outcome = Flights.servable(entry);
    boolean expired = outcome != null && times != null && times.expired(entry, times.now());
    return expired ? null : object(outcome);
  }

  @Override
  public @Nullable V put(K key, V value) {
    cache.checkOpen();
    return object(
        parts.puts.putCached(
            Objects.requireNonNull(key, "key"), Objects.requireNonNull(value, "value")));
  }

  @Override
  public @Nullable V remove(Object key) {
    cache.checkOpen();
    return object(parts.invalidation.invalidate(Objects.requireNonNull(key, "key")));
  }

  @Override
  public boolean remove(Object key, @Nullable Object value) {
    for (; ; ) {
      Seen<V> seen = see(key);
      if (seen.entry == null || seen.value == null || !seen.value.equals(value)) {
        return false;
      }
      if (parts.invalidation.invalidateThis(seen.entry)) {
        return true;
      }
    }
  }

  @Override
  public @Nullable V putIfAbsent(K key, V value) {
    Objects.requireNonNull(value, "value");
    for (; ; ) {
      Seen<V> seen = see(key);
      if (seen.value != null) {
        return seen.value;
      }
      if (seen.entry == null) {
        if (parts.puts.putIfVacant(key, value) == null) {
          return null;
        }
      } else if (parts.puts.replaceThis(seen.entry, value)) {
        return null;
      }
    }
  }

  @Override
  public @Nullable V replace(K key, V value) {
    Objects.requireNonNull(value, "value");
    for (; ; ) {
      Seen<V> seen = see(key);
      if (seen.entry == null || seen.value == null) {
        return null;
      }
      if (parts.puts.replaceThis(seen.entry, value)) {
        return seen.value;
      }
    }
  }

  @Override
  public boolean replace(K key, V before, V value) {
    Objects.requireNonNull(before, "before");
    Objects.requireNonNull(value, "value");
    for (; ; ) {
      Seen<V> seen = see(key);
      if (seen.entry == null || seen.value == null || !seen.value.equals(before)) {
        return false;
      }
      if (parts.puts.replaceThis(seen.entry, value)) {
        return true;
      }
    }
  }

  @Override
  public void clear() {
    cache.checkOpen();
    parts.invalidation.invalidateAll();
  }

  /** Counts what iteration shows; cost in proportion to the table. */
  @Override
  public int size() {
    cache.checkOpen();
    long count = 0;
    for (Iterator<Map.Entry<K, V>> each = new EntryIterator(); each.hasNext(); each.next()) {
      count++;
    }
    return (int) Math.min(Integer.MAX_VALUE, count);
  }

  @Override
  public boolean isEmpty() {
    cache.checkOpen();
    return !new EntryIterator().hasNext();
  }

  @Override
  public Set<K> keySet() {
    return new KeyView();
  }

  @Override
  public Set<Map.Entry<K, V>> entrySet() {
    return new EntryView();
  }

  private final class EntryView extends AbstractSet<Map.Entry<K, V>> {
    @Override
    public Iterator<Map.Entry<K, V>> iterator() {
      cache.checkOpen();
      return new EntryIterator();
    }

    @Override
    public int size() {
      return MapView.this.size();
    }

    @Override
    public boolean contains(@Nullable Object o) {
      if (!(o instanceof Map.Entry<?, ?> wanted) || wanted.getKey() == null) {
        return false;
      }
      V there = see(wanted.getKey()).value;
      return there != null && there.equals(wanted.getValue());
    }

    @Override
    public boolean remove(@Nullable Object o) {
      return o instanceof Map.Entry<?, ?> wanted
          && wanted.getKey() != null
          && MapView.this.remove(wanted.getKey(), wanted.getValue());
    }

    @Override
    public void clear() {
      MapView.this.clear();
    }
  }

  private final class KeyView extends AbstractSet<K> {
    @Override
    public Iterator<K> iterator() {
      cache.checkOpen();
      EntryIterator entries = new EntryIterator();
      return new Iterator<>() {
        @Override
        public boolean hasNext() {
          return entries.hasNext();
        }

        @Override
        public K next() {
          return entries.next().getKey();
        }

        @Override
        public void remove() {
          entries.remove();
        }
      };
    }

    @Override
    public int size() {
      return MapView.this.size();
    }

    @Override
    public boolean contains(@Nullable Object key) {
      return key != null && containsKey(key);
    }

    @Override
    public boolean remove(@Nullable Object key) {
      return key != null && MapView.this.remove(key) != null;
    }

    @Override
    public void clear() {
      MapView.this.clear();
    }
  }

  private final class EntryIterator implements Iterator<Map.Entry<K, V>> {
    private int group;
    private Iterator<io.latchkey.cache.internal.Entry> entries =
        List.<io.latchkey.cache.internal.Entry>of().iterator();
    private Map.@Nullable Entry<K, V> next;
    private @Nullable K last;

    @Override
    public boolean hasNext() {
      while (next == null) {
        if (entries.hasNext()) {
          next = view(entries.next());
        } else if (group < parts.table.groups()) {
          entries = parts.table.group(group++).iterator();
        } else {
          return false;
        }
      }
      return true;
    }

    @SuppressWarnings("unchecked")
    private Map.@Nullable Entry<K, V> view(io.latchkey.cache.internal.Entry entry) {
      V value = shown(entry);
      if (value == null && entry.stateAcquire() == io.latchkey.cache.internal.Entry.DEAD) {
        value = see(entry.key).value; // replaced since the group was looked at, perhaps
      }
      return value == null ? null : new WritableEntry((K) entry.key, value);
    }

    @Override
    public Map.Entry<K, V> next() {
      if (!hasNext() || next == null) {
        throw new NoSuchElementException();
      }
      Map.Entry<K, V> current = next;
      last = current.getKey();
      next = null;
      return current;
    }

    @Override
    public void remove() {
      if (last == null) {
        throw new IllegalStateException("remove needs a next before it");
      }
      MapView.this.remove(last);
      last = null;
    }
  }

  /** An entry as iteration found it; setting its value puts it in the cache. */
  private final class WritableEntry extends AbstractMap.SimpleEntry<K, V> {
    private static final long serialVersionUID = 1L;

    WritableEntry(K key, V value) {
      super(key, value);
    }

    @Override
    public V setValue(V value) {
      MapView.this.put(getKey(), Objects.requireNonNull(value, "value"));
      return super.setValue(value);
    }
  }
}
