package io.latchkey.cache.testing;

import io.latchkey.storage.WritableStorage;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A writable storage over a map, with a {@code loadAll} and a {@code storeAll} of its own, that
 * writes down every call. Tests override what is to misbehave.
 */
public class MapStorage<K, V> implements WritableStorage<K, V> {
  private final ConcurrentMap<K, V> contents = new ConcurrentHashMap<>();
  private final List<String> calls = new ArrayList<>();
  private final AtomicInteger closes = new AtomicInteger();

  /** What is stored: live, and changed by tests behind the cache's back. */
  public ConcurrentMap<K, V> contents() {
    return contents;
  }

  /** Puts an object there without a call. */
  public MapStorage<K, V> holding(K key, V value) {
    contents.put(key, value);
    return this;
  }

  @Override
  public @Nullable V load(K key) throws Exception {
    note("load " + key);
    return contents.get(key);
  }

  @Override
  public Map<K, V> loadAll(Set<? extends K> keys) throws Exception {
    note("loadAll " + sorted(keys));
    return found(keys);
  }

  @Override
  public void store(K key, V value) throws Exception {
    note("store " + key + "=" + value);
    contents.put(key, value);
  }

  @Override
  public void storeAll(Map<? extends K, ? extends V> entries) throws Exception {
    note("storeAll " + sorted(entries.keySet()));
    contents.putAll(entries);
  }

  @Override
  public void delete(K key) throws Exception {
    note("delete " + key);
    contents.remove(key);
  }

  /** The objects of these keys, without a call. */
  protected final Map<K, V> found(Collection<? extends K> keys) {
    Map<K, V> found = new LinkedHashMap<>();
    for (K key : keys) {
      V value = contents.get(key);
      if (value != null) {
        found.put(key, value);
      }
    }
    return found;
  }

  /** Writes a call down. */
  protected final synchronized void note(String call) {
    calls.add(call);
  }

  /** The keys as text, in order of their texts. */
  protected static String sorted(Collection<?> keys) {
    return keys.stream().map(String::valueOf).sorted().collect(Collectors.joining(",", "[", "]"));
  }

  /** The calls so far, such as {@code load a}, {@code loadAll [a,b]} or {@code store a=1}. */
  public final synchronized List<String> calls() {
    return List.copyOf(calls);
  }

  /** How many calls of this kind were made, for example {@code "load "}. */
  public final synchronized long count(String prefix) {
    return calls.stream().filter(call -> call.startsWith(prefix)).count();
  }

  /** Forgets the calls so far. */
  public final synchronized void forget() {
    calls.clear();
  }

  /** How often the storage was closed. */
  public final int closes() {
    return closes.get();
  }

  @Override
  public String name() {
    return "map";
  }

  @Override
  public void close() {
    closes.incrementAndGet();
  }
}
