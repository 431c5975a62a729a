package io.latchkey.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.cache.testing.ManualTicker;
import io.latchkey.cache.testing.MapStorage;
import io.latchkey.cache.testing.Stage;
import java.time.Duration;
import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What one bulk load gives; {@link BulkJoinTest} has the ones that meet others. */
class BulkTest {
  @RegisterExtension final Stage stage = new Stage();

  /** A storage whose bulk load gives what the test says. */
  private static final class OddStorage extends MapStorage<String, String> {
    private final Function<Set<String>, Map<String, String>> bulk;

    OddStorage(Function<Set<String>, Map<String, String>> bulk) {
      this.bulk = bulk;
    }

    @Override
    public String load(String key) throws Exception {
      super.load(key);
      return "single-" + key;
    }

    @Override
    public Map<String, String> loadAll(Set<? extends String> keys) throws Exception {
      super.loadAll(keys);
      return bulk.apply(new LinkedHashSet<>(keys));
    }
  }

  private static MapStorage<String, String> letters() {
    return new MapStorage<String, String>()
        .holding("a", "1")
        .holding("b", "2")
        .holding("c", "3")
        .holding("d", "4");
  }

  @Test
  @DisplayName("F13: getAll of nothing gives nothing and asks nobody")
  void empty() {
    MapStorage<String, String> storage = letters();
    Cache<String, String> cache = stage.build(Cache.over(storage));
    assertThat(cache.getAll(List.of())).isEmpty();
    cache.prefetch(List.of());
    cache.invalidateAll(List.of());
    assertThat(storage.calls()).isEmpty();
  }

  @Test
  @DisplayName("F13: one loadAll loads what is missing, each key once, whatever was asked twice")
  void onlyMissing() {
    MapStorage<String, String> storage = letters();
    Cache<String, String> cache = stage.build(Cache.over(storage));
    cache.get("a");
    storage.forget();
    assertThat(cache.getAll(List.of("b", "a", "b", "c", "a", "c")))
        .isEqualTo(Map.of("a", "1", "b", "2", "c", "3"));
    assertThat(storage.calls()).containsExactly("loadAll [b,c]");
    assertThat(cache.getAll(Set.of("a", "b", "c"))).hasSize(3);
    assertThat(storage.calls()).hasSize(1);
    assertThat(cache.estimatedSize()).isEqualTo(3);
  }

  @Test
  @DisplayName("F13: what getAll gave is the caller's own and follows no later change")
  void snapshot() {
    Cache<String, String> cache = stage.build(Cache.over(letters()));
    Map<String, String> got = cache.getAll(List.of("a", "b"));
    cache.put("a", "new");
    cache.invalidateAll();
    assertThat(got).isEqualTo(Map.of("a", "1", "b", "2"));
  }

  @Test
  @DisplayName("F13: what the result lacks is absent, cached as such when asked for")
  void fewer() {
    MapStorage<String, String> storage = letters();
    Cache<String, String> plain = stage.build(Cache.over(storage));
    assertThat(plain.getAll(List.of("a", "x", "y"))).isEqualTo(Map.of("a", "1"));
    assertThat(plain.get("x")).isNull();
    assertThat(storage.calls()).containsExactly("loadAll [a,x,y]", "load x");
    storage.forget();
    Cache<String, String> keeping =
        stage.build(Cache.over(storage).cacheAbsentFor(Duration.ofDays(1)).recordStats());
    assertThat(keeping.getAll(List.of("a", "x"))).isEqualTo(Map.of("a", "1"));
    assertThat(keeping.get("x")).isNull();
    assertThat(keeping.getAll(List.of("x"))).isEmpty();
    assertThat(storage.calls()).containsExactly("loadAll [a,x]");
    assertThat(keeping.stats().hitCount()).isEqualTo(2);
    keeping.invalidate("x");
    storage.contents().put("x", "now");
    assertThat(keeping.getAll(List.of("x"))).isEqualTo(Map.of("x", "now"));
  }

  @Test
  @DisplayName("F13: nothing at all is a result, too")
  void none() {
    OddStorage storage = new OddStorage(keys -> Map.of());
    Cache<String, String> cache = stage.build(Cache.over(storage));
    assertThat(cache.getAll(List.of("a", "b"))).isEmpty();
    assertThat(cache.get("a")).isEqualTo("single-a");
  }

  @Test
  @DisplayName("F13: extras in the result are dropped")
  void extra() {
    OddStorage storage =
        new OddStorage(keys -> new HashMap<>(Map.of("a", "1", "b", "2", "x", "extra")));
    Cache<String, String> cache = stage.build(Cache.over(storage));
    cache.put("x", "cached");
    storage.forget();
    assertThat(cache.getAll(List.of("a", "b"))).isEqualTo(Map.of("a", "1", "b", "2"));
    assertThat(cache.get("x")).isEqualTo("cached");
    cache.invalidate("x");
    assertThat(cache.getAll(List.of("a"))).isEqualTo(Map.of("a", "1"));
    assertThat(cache.getIfPresent("x")).isNull();
    assertThat(cache.estimatedSize()).isEqualTo(2);
    assertThat(storage.calls()).containsExactly("loadAll [a,b]");
  }

  @Test
  @DisplayName("F13: null values in the result are absent, null keys dropped")
  void nulls() {
    OddStorage storage =
        new OddStorage(
            keys -> {
              Map<String, String> result = new LinkedHashMap<>();
              result.put(null, "nobody's");
              result.put("a", null);
              result.put("b", "2");
              return result;
            });
    Cache<String, String> cache = stage.build(Cache.over(storage));
    assertThat(cache.getAll(List.of("a", "b", "c"))).isEqualTo(Map.of("b", "2"));
    assertThat(cache.estimatedSize()).isEqualTo(1);
    assertThat(storage.calls()).containsExactly("loadAll [a,b,c]");
    assertThat(cache.get("a")).isEqualTo("single-a");
  }

  /** A map that iterates over these entries, and fails after them if told so. */
  private static Map<String, String> listing(
      List<Map.Entry<String, String>> entries, RuntimeException failure) {
    return new AbstractMap<>() {
      @Override
      public Set<Entry<String, String>> entrySet() {
        return new AbstractSet<>() {
          @Override
          public Iterator<Entry<String, String>> iterator() {
            Iterator<Entry<String, String>> iterator = entries.iterator();
            return new Iterator<>() {
              @Override
              public boolean hasNext() {
                return failure != null || iterator.hasNext();
              }

              @Override
              public Entry<String, String> next() {
                if (!iterator.hasNext() && failure != null) {
                  throw failure;
                }
                return iterator.next();
              }
            };
          }

          @Override
          public int size() {
            return entries.size();
          }
        };
      }
    };
  }

  @Test
  @DisplayName("F13: a key that comes twice in the result has one object, for callers and cache")
  void duplicates() {
    OddStorage storage =
        new OddStorage(
            keys ->
                listing(
                    List.of(Map.entry("a", "1"), Map.entry("b", "2"), Map.entry("a", "again")),
                    null));
    Cache<String, String> cache = stage.build(Cache.over(storage));
    Map<String, String> got = cache.getAll(List.of("a", "b"));
    assertThat(got).containsOnlyKeys("a", "b").containsEntry("b", "2");
    assertThat(got.get("a")).isIn("1", "again");
    assertThat(cache.get("a")).isEqualTo(got.get("a"));
    assertThat(cache.estimatedSize()).isEqualTo(2);
    assertThat(storage.calls()).hasSize(1);
  }

  @Test
  @DisplayName("F13: a result that throws half-way fails the call; nothing is stuck")
  void halfWay() {
    IllegalStateException broken = new IllegalStateException("the line broke");
    OddStorage storage =
        new OddStorage(keys -> listing(List.of(Map.entry("a", "1"), Map.entry("b", "2")), broken));
    Cache<String, String> cache = stage.build(Cache.over(storage).recordStats());
    assertThatThrownBy(() -> cache.getAll(List.of("a", "b", "c")))
        .isInstanceOf(CacheLoadException.class)
        .hasCause(broken)
        .hasMessageContaining("map");
    assertThat(storage.calls()).as("nothing was loaded twice").containsExactly("loadAll [a,b,c]");
    assertThat(cache.get("c")).isEqualTo("single-c");
    assertThat(cache.get("a")).isIn("1", "single-a");
    assertThat(cache.get("b")).isIn("2", "single-b");
    CacheStats stats = cache.stats();
    assertThat(stats.loadSuccessCount() + stats.loadFailureCount())
        .isEqualTo(storage.calls().size());
  }

  @Test
  @DisplayName("F13: a null result fails the call; nothing is stuck")
  void nullResult() {
    OddStorage storage = new OddStorage(keys -> null);
    Cache<String, String> cache = stage.build(Cache.over(storage));
    assertThatThrownBy(() -> cache.getAll(List.of("a", "b")))
        .isInstanceOf(CacheLoadException.class)
        .hasMessageContaining("null")
        .hasMessageContaining("map");
    assertThat(cache.get("a")).isEqualTo("single-a");
    assertThat(cache.stats().loadFailureCount()).isEqualTo(1);
    assertThat(cache.stats().loadSuccessCount()).isEqualTo(1);
  }

  @Test
  @DisplayName("F13: a bulk that fails gives its cause; what was cached stays; nothing is stuck")
  void failure() {
    for (Throwable cause :
        List.of(
            new IllegalStateException("down"),
            new java.io.IOException("gone"),
            new AssertionError("bug"),
            new StackOverflowError())) {
      OddStorage storage = new OddStorage(keys -> io.latchkey.cache.testing.Sneaky.raise(cause));
      Cache<String, String> cache = stage.build(Cache.over(storage));
      cache.get("d");
      assertThatThrownBy(() -> cache.getAll(List.of("a", "d", "b")))
          .isInstanceOf(CacheLoadException.class)
          .hasCause(cause);
      assertThat(cache.getIfPresent("d")).isEqualTo("single-d");
      assertThat(cache.getIfPresent("a")).isNull();
      assertThat(cache.get("a")).isEqualTo("single-a");
      assertThat(cache.get("b")).isEqualTo("single-b");
    }
  }

  @Test
  @DisplayName("F13: a storage without its own loadAll is asked singly; the good ones stay cached")
  void singly() {
    List<String> loads = new CopyOnWriteArrayList<>();
    IllegalStateException broken = new IllegalStateException("bad c");
    Cache<String, String> cache =
        stage.build(
            Cache.over(
                    (String key) -> {
                      loads.add(key);
                      if (key.equals("c")) {
                        throw broken;
                      }
                      return key.equals("x") ? null : "v" + key;
                    })
                .recordStats());
    assertThatThrownBy(() -> cache.getAll(List.of("a", "b", "c", "d", "x", "e")))
        .isInstanceOf(CacheLoadException.class)
        .hasCause(broken);
    for (String good : List.of("a", "b", "d", "e")) {
      assertThat(cache.getIfPresent(good)).isEqualTo("v" + good);
    }
    assertThat(cache.getIfPresent("c")).isNull();
    assertThat(loads).containsExactlyInAnyOrder("a", "b", "c", "d", "x", "e");
    assertThat(cache.stats().loadSuccessCount()).isEqualTo(5);
    assertThat(cache.stats().loadFailureCount()).isEqualTo(1);
    assertThat(cache.getAll(List.of("a", "x", "e", "e"))).isEqualTo(Map.of("a", "va", "e", "ve"));
    assertThat(loads).hasSize(7);
  }

  @Test
  @DisplayName("F13: getAll serves cached failures, loads what has expired, and renews no failure")
  void cachedFailure() {
    ManualTicker ticker = new ManualTicker();
    Cache<String, String> cache =
        stage.build(
            Cache.over(
                    (String key) -> {
                      if (key.equals("bad")) {
                        throw new IllegalStateException("bad");
                      }
                      return "v";
                    })
                .cacheFailuresFor(Duration.ofNanos(10))
                .ticker(ticker));
    assertThatThrownBy(() -> cache.get("bad")).isInstanceOf(CacheLoadException.class);
    assertThatThrownBy(() -> cache.getAll(List.of("good", "bad")))
        .isInstanceOf(CacheLoadException.class);
    assertThat(cache.stats().loadFailureCount()).isEqualTo(1);
    assertThat(cache.getIfPresent("good")).isEqualTo("v");
    ticker.advance(Duration.ofNanos(10));
    assertThatThrownBy(() -> cache.getAll(List.of("good", "bad")))
        .isInstanceOf(CacheLoadException.class);
    assertThat(cache.stats().loadFailureCount()).isEqualTo(2);
  }

  @Test
  @DisplayName("F13: a bulk of ten thousand keys is one call, and each key is cached")
  void large() {
    MapStorage<Integer, Integer> storage = new MapStorage<>();
    IntStream.range(0, 10_000).forEach(i -> storage.contents().put(i, -i));
    Cache<Integer, Integer> cache = stage.build(Cache.over(storage));
    List<Integer> keys = new ArrayList<>(storage.contents().keySet());
    assertThat(cache.getAll(keys)).isEqualTo(storage.contents());
    assertThat(cache.getAll(keys)).isEqualTo(storage.contents());
    assertThat(storage.calls()).hasSize(1);
    assertThat(cache.estimatedSize()).isEqualTo(10_000);
  }

  @Test
  @DisplayName("F13: a storage that empties the set of keys it was given harms nobody")
  void emptiesItsArgument() {
    MapStorage<String, String> storage =
        new MapStorage<>() {
          @Override
          public Map<String, String> loadAll(Set<? extends String> keys) {
            Map<String, String> found = found(keys);
            keys.clear();
            return found;
          }
        };
    storage.holding("a", "1").holding("b", "2");
    Cache<String, String> cache = stage.build(Cache.over(storage));
    try {
      assertThat(cache.getAll(List.of("a", "b"))).isEqualTo(Map.of("a", "1", "b", "2"));
    } catch (CacheLoadException e) {
      assertThat(e).hasCauseInstanceOf(UnsupportedOperationException.class);
    }
    assertThat(cache.get("a")).isEqualTo("1");
    assertThat(cache.get("b")).isEqualTo("2");
  }
}
