package io.latchkey.storage.testkit;

import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A map of the kind that a storage must not return: entries listed twice, or half of them. */
final class SpoiledMap<K, V> extends AbstractMap<K, V> {
  private final List<Entry<K, V>> entries;
  private final int readable;
  private final @Nullable Throwable failure;

  private SpoiledMap(List<Entry<K, V>> entries, int readable, @Nullable Throwable failure) {
    this.entries = entries;
    this.readable = readable;
    this.failure = failure;
  }

  static <K, V> Map<K, V> repeating(Map<K, V> map) {
    List<Entry<K, V>> twice = new ArrayList<>(map.entrySet());
    twice.addAll(map.entrySet());
    return new SpoiledMap<>(twice, twice.size(), null);
  }

  static <K, V> Map<K, V> breaking(Map<K, V> map, int readable, Throwable failure) {
    return new SpoiledMap<>(new ArrayList<>(map.entrySet()), readable, failure);
  }

  @Override
  public Set<Entry<K, V>> entrySet() {
    return new AbstractSet<>() {
      @Override
      public Iterator<Entry<K, V>> iterator() {
        return new Reading();
      }

      @Override
      public int size() {
        return entries.size();
      }
    };
  }

  private final class Reading implements Iterator<Entry<K, V>> {
    private int next;

    @Override
    public boolean hasNext() {
      return next < entries.size() || failure != null && next <= readable;
    }

    @Override
    public Entry<K, V> next() {
      if (failure != null && next >= readable) {
        throw Sneaky.raise(failure);
      }
      if (next >= entries.size()) {
        throw new NoSuchElementException();
      }
      return entries.get(next++);
    }
  }
}
