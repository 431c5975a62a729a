package io.latchkey.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.cache.testing.Caller;
import io.latchkey.cache.testing.ManualTicker;
import io.latchkey.cache.testing.MapStorage;
import io.latchkey.cache.testing.Roadblock;
import io.latchkey.cache.testing.Stage;
import io.latchkey.storage.testkit.GatedStorage;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class MapViewTest {
  private static final Duration LIFE = Duration.ofNanos(100);

  @RegisterExtension final Stage stage = new Stage();

  private final MapStorage<String, String> storage =
      new MapStorage<String, String>().holding("a", "1").holding("b", "2");

  @Test
  @DisplayName("the map touches only the cache: it neither loads, stores nor deletes")
  void cacheOnly() {
    Cache<String, String> cache = stage.build(Cache.over(storage));
    ConcurrentMap<String, String> map = cache.asMap();
    assertThat(map.get("a")).isNull();
    assertThat(map.containsKey("a")).isFalse();
    assertThat(map.getOrDefault("a", "d")).isEqualTo("d");
    assertThat(map.put("a", "x")).isNull();
    assertThat(map.putIfAbsent("a", "y")).isEqualTo("x");
    assertThat(map.replace("a", "z")).isEqualTo("x");
    assertThat(map.replace("a", "no", "y")).isFalse();
    assertThat(map.replace("a", "z", "y")).isTrue();
    assertThat(map.computeIfAbsent("c", k -> "3")).isEqualTo("3");
    assertThat(map.computeIfPresent("c", (k, v) -> null)).isNull();
    assertThat(map.compute("d", (k, v) -> v + "!")).isEqualTo("null!");
    assertThat(map.merge("d", "?", String::concat)).isEqualTo("null!?");
    map.putAll(Map.of("e", "5"));
    assertThat(map)
        .containsOnly(Map.entry("a", "y"), Map.entry("d", "null!?"), Map.entry("e", "5"));
    assertThat(map.remove("d")).isEqualTo("null!?");
    assertThat(map.remove("a", "no")).isFalse();
    assertThat(map.remove("a", "y")).isTrue();
    map.clear();
    assertThat(map).isEmpty();
    assertThat(storage.calls()).isEmpty();
    assertThat(storage.contents()).isEqualTo(Map.of("a", "1", "b", "2"));
    assertThat(cache.get("a")).isEqualTo("1");
  }

  @Test
  @DisplayName("the map shows what the cache loads and drops, and the cache what the map puts")
  void live() {
    Cache<String, String> cache = stage.build(Cache.over(storage));
    ConcurrentMap<String, String> map = cache.asMap();
    cache.get("a");
    assertThat(map).containsOnly(Map.entry("a", "1"));
    assertThat(map).hasSize(1);
    assertThat(map.containsValue("1")).isTrue();
    map.put("a", "mine");
    assertThat(cache.get("a")).isEqualTo("mine");
    assertThat(cache.getIfPresent("a")).isEqualTo("mine");
    cache.invalidateAll();
    assertThat(map.isEmpty()).isTrue();
    assertThat(cache.asMap()).isEqualTo(Map.of());
  }

  @Test
  @DisplayName("the views of keys, values and entries write through, iterators and entries too")
  void views() {
    Cache<String, String> cache = stage.build(Cache.over(storage));
    ConcurrentMap<String, String> map = cache.asMap();
    map.putAll(Map.of("a", "1", "b", "2", "c", "3", "d", "4", "e", "5"));
    assertThat(map.keySet().remove("a")).isTrue();
    assertThat(map.values().remove("2")).isTrue();
    assertThat(map.entrySet().remove(Map.entry("c", "no"))).isFalse();
    assertThat(map.entrySet().remove(Map.entry("c", "3"))).isTrue();
    Iterator<Map.Entry<String, String>> entries = map.entrySet().iterator();
    while (entries.hasNext()) {
      Map.Entry<String, String> entry = entries.next();
      if (entry.getKey().equals("d")) {
        entry.setValue("four");
      } else {
        entries.remove();
      }
    }
    assertThat(map).containsOnly(Map.entry("d", "four"));
    assertThat(cache.getIfPresent("e")).isNull();
    assertThat(map.keySet().retainAll(Set.of("x"))).isTrue();
    assertThat(cache.estimatedSize()).isZero();
    assertThat(storage.calls()).isEmpty();
  }

  @Test
  @DisplayName("iterating while the cache changes never fails and sees each lasting key once")
  void weaklyConsistent() {
    Cache<Integer, Integer> cache = stage.build(Cache.over((Integer key) -> key));
    for (int i = 0; i < 1_000; i++) {
      cache.get(i);
    }
    TreeSet<Integer> seen = new TreeSet<>();
    int next = 1_000;
    for (Integer key : cache.asMap().keySet()) {
      assertThat(seen.add(key)).as("key %s came once", key).isTrue();
      if (next < 20_000) {
        // Grows the table several times under the iterator.
        for (int i = 0; i < 50; i++) {
          cache.get(next++);
        }
      }
    }
    for (int i = 0; i < 1_000; i++) {
      assertThat(seen).contains(i);
    }
  }

  @Test
  @DisplayName("an iterator that is past a key does not remove a newer object of it by accident")
  void iteratorRemove() {
    Cache<String, String> cache = stage.build(Cache.over(storage));
    cache.asMap().put("a", "old");
    Iterator<String> keys = cache.asMap().keySet().iterator();
    assertThat(keys.next()).isEqualTo("a");
    keys.remove();
    assertThatThrownBy(keys::remove).isInstanceOf(IllegalStateException.class);
    assertThat(cache.asMap()).isEmpty();
  }

  @Test
  @DisplayName("F9: a cached absence is not in the map, but counts in estimatedSize")
  void absence() {
    Cache<String, String> cache =
        stage.build(Cache.over(storage).cacheAbsentFor(Duration.ofDays(1)));
    assertThat(cache.get("none")).isNull();
    ConcurrentMap<String, String> map = cache.asMap();
    assertThat(map).isEmpty();
    assertThat(map.containsKey("none")).isFalse();
    assertThat(map.get("none")).isNull();
    assertThat(map.entrySet()).isEmpty();
    assertThat(cache.estimatedSize()).isEqualTo(1);
    assertThat(map.putIfAbsent("none", "now")).isNull();
    assertThat(cache.get("none")).isEqualTo("now");
    assertThat(storage.count("load")).isEqualTo(1);
  }

  @Test
  @DisplayName("F9: remove, replace and computeIfPresent see nothing in a cached absence")
  void absenceWrites() {
    Cache<String, String> cache =
        stage.build(Cache.over(storage).cacheAbsentFor(Duration.ofDays(1)));
    ConcurrentMap<String, String> map = cache.asMap();
    cache.get("none");
    assertThat(map.replace("none", "x")).isNull();
    assertThat(map.computeIfPresent("none", (k, v) -> "x")).isNull();
    assertThat(map.remove("none", "x")).isFalse();
    assertThat(map.computeIfAbsent("none", k -> "made")).isEqualTo("made");
    assertThat(map.remove("none")).isEqualTo("made");
    assertThat(cache.get("none")).isNull();
    assertThat(storage.count("load")).isEqualTo(2);
  }

  @Test
  @DisplayName("E3: an expired object is not in the map, whichever way it is looked for")
  void expired() {
    ManualTicker ticker = new ManualTicker();
    Cache<String, String> cache =
        stage.build(Cache.over(storage).expireAfterWrite(LIFE).ticker(ticker));
    ConcurrentMap<String, String> map = cache.asMap();
    map.put("a", "old");
    Iterator<Map.Entry<String, String>> begun = map.entrySet().iterator();
    ticker.advance(LIFE);
    assertThat(map.get("a")).isNull();
    assertThat(map.containsKey("a")).isFalse();
    assertThat(map.containsValue("old")).isFalse();
    assertThat(map.keySet()).doesNotContain("a");
    assertThat(map.values()).doesNotContain("old");
    assertThat(map.replace("a", "x")).isNull();
    assertThat(map.replace("a", "old", "x")).isFalse();
    assertThat(map.remove("a", "old")).isFalse();
    assertThat(map.computeIfPresent("a", (k, v) -> "x")).isNull();
    assertThat(map.putIfAbsent("a", "new")).isNull();
    assertThat(map.get("a")).isEqualTo("new");
    ticker.advance(LIFE);
    assertThat(map.put("a", "newer")).isNull();
    assertThat(map.merge("a", "!", String::concat)).isEqualTo("newer!");
    ticker.advance(LIFE);
    assertThat(map.remove("a")).isNull();
    begun.forEachRemaining(entry -> assertThat(entry.getKey()).isEqualTo("a"));
  }

  @Test
  @DisplayName("F2: remove and clear on the map detach a load; its value is never stored")
  void removeDuringLoad() {
    for (String way : List.of("remove", "removeValue", "clear", "keySet", "keySetClear")) {
      GatedStorage<String, String> gated = stage.gated(new GatedStorage<>());
      Cache<String, String> cache = stage.build(Cache.over(gated));
      Caller<String> caller = stage.callers().start(() -> cache.get("k"));
      gated.await("k");
      switch (way) {
        case "remove" -> assertThat(cache.asMap().remove("k")).isNull();
        case "removeValue" -> assertThat(cache.asMap().remove("k", "old")).isFalse();
        case "clear" -> cache.asMap().clear();
        case "keySet" -> cache.asMap().keySet().remove("k");
        default -> cache.asMap().keySet().clear();
      }
      gated.release("k", "old");
      assertThat(caller.value()).as(way).isEqualTo("old");
      if (!way.equals("removeValue")) {
        assertThat(cache.getIfPresent("k")).as(way).isNull();
      }
    }
  }

  @Test
  @DisplayName("F5: put and putIfAbsent on the map win over a load under way, and stay")
  void putDuringLoad() {
    for (String way : List.of("put", "putIfAbsent", "computeIfAbsent", "merge", "compute")) {
      GatedStorage<String, String> gated = stage.gated(new GatedStorage<>());
      Cache<String, String> cache = stage.build(Cache.over(gated));
      Caller<String> leader = stage.callers().start(() -> cache.get("k"));
      gated.await("k");
      Caller<String> waiter = stage.callers().startParked(() -> cache.get("k"));
      stage.meanwhile(
          () -> {
            switch (way) {
              case "put" -> assertThat(cache.asMap().put("k", "new")).isNull();
              case "putIfAbsent" -> assertThat(cache.asMap().putIfAbsent("k", "new")).isNull();
              case "merge" -> cache.asMap().merge("k", "new", String::concat);
              case "compute" -> cache.asMap().compute("k", (k, v) -> v == null ? "new" : "bad");
              default ->
                  assertThat(cache.asMap().computeIfAbsent("k", k -> "new")).isEqualTo("new");
            }
            assertThat(cache.get("k")).as(way).isEqualTo("new");
          });
      gated.release("k", "old");
      assertThat(leader.value()).as(way).isIn("old", "new");
      assertThat(waiter.value()).as(way).isIn("old", "new");
      assertThat(cache.getIfPresent("k")).as(way).isEqualTo("new");
    }
  }

  @Test
  @DisplayName("a loading key is not in the map")
  void loading() {
    GatedStorage<String, String> gated = stage.gated(new GatedStorage<>());
    Cache<String, String> cache = stage.build(Cache.over(gated));
    Caller<String> caller = stage.callers().start(() -> cache.get("k"));
    gated.await("k");
    assertThat(cache.asMap()).isEmpty();
    assertThat(cache.asMap().size()).isZero();
    assertThat(cache.asMap().get("k")).isNull();
    assertThat(cache.asMap().replace("k", "x")).isNull();
    assertThat(cache.estimatedSize()).isZero();
    gated.release("k", "v");
    assertThat(caller.value()).isEqualTo("v");
    assertThat(cache.asMap()).containsOnly(Map.entry("k", "v"));
  }

  @Test
  @DisplayName("F12: no lock is held while a function of compute or merge runs")
  void functionsHoldNoLock() {
    for (String way : List.of("compute", "computeIfAbsent", "computeIfPresent", "merge")) {
      Cache<String, String> cache = stage.build(Cache.over(storage));
      ConcurrentMap<String, String> map = cache.asMap();
      if (!way.equals("computeIfAbsent")) {
        map.put("k", "0");
      }
      Roadblock block = stage.roadblock().arm();
      Caller<String> held =
          stage
              .callers()
              .start(
                  () ->
                      switch (way) {
                        case "compute" -> map.compute("k", (k, v) -> passing(block, "new"));
                        case "computeIfAbsent" ->
                            map.computeIfAbsent("k", k -> passing(block, "new"));
                        case "computeIfPresent" ->
                            map.computeIfPresent("k", (k, v) -> passing(block, "new"));
                        default -> map.merge("k", "1", (v, w) -> passing(block, "new"));
                      });
      block.awaitHeld();
      stage.meanwhile(
          () -> {
            cache.getIfPresent("k");
            cache.put("other", "o");
            cache.put("k", "1");
            cache.invalidate("k");
            map.put("k", "2");
            cache.cleanUp();
          });
      block.open();
      assertThat(held.value()).as(way).isIn("new", "2");
      assertThat(cache.getIfPresent("k")).as(way).isIn("new", "2");
    }
  }

  private static String passing(Roadblock block, String value) {
    block.pass();
    return value;
  }

  @Test
  @DisplayName("computeIfAbsent, merge and putIfAbsent are atomic among threads")
  void atomic() {
    Cache<String, Integer> cache = stage.build(Cache.over((String key) -> 0));
    ConcurrentMap<String, Integer> map = cache.asMap();
    AtomicInteger firsts = new AtomicInteger();
    List<Caller<Object>> adders =
        java.util.stream.IntStream.range(0, 4)
            .mapToObj(
                thread ->
                    stage
                        .callers()
                        .run(
                            () -> {
                              for (int i = 0; i < 2_000; i++) {
                                map.merge("sum", 1, Integer::sum);
                                if (map.putIfAbsent("once-" + i, thread) == null) {
                                  firsts.incrementAndGet();
                                }
                              }
                            }))
            .toList();
    adders.forEach(Caller::value);
    assertThat(map.get("sum")).isEqualTo(8_000);
    assertThat(firsts.get()).isEqualTo(2_000);
  }

  @Test
  @DisplayName("a function that throws leaves the mapping as it was")
  void throwingFunction() {
    Cache<String, String> cache = stage.build(Cache.over(storage));
    ConcurrentMap<String, String> map = cache.asMap();
    map.put("a", "1");
    IllegalStateException failure = new IllegalStateException("no");
    assertThatThrownBy(
            () ->
                map.compute(
                    "a",
                    (k, v) -> {
                      throw failure;
                    }))
        .isSameAs(failure);
    assertThatThrownBy(
            () ->
                map.computeIfAbsent(
                    "z",
                    k -> {
                      throw failure;
                    }))
        .isSameAs(failure);
    assertThat(map).containsOnly(Map.entry("a", "1"));
    assertThat(cache.get("a")).isEqualTo("1");
  }
}
