package io.latchkey.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.cache.testing.Caller;
import io.latchkey.cache.testing.CollidingKey;
import io.latchkey.cache.testing.MapStorage;
import io.latchkey.cache.testing.Stage;
import io.latchkey.storage.testkit.GatedCall;
import io.latchkey.storage.testkit.GatedWritableStorage;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The order of writes, and what reads see meanwhile; {@link WriteFailureTest} has the failures. */
class WriteOrderTest {
  @RegisterExtension final Stage stage = new Stage();

  private final GatedWritableStorage<String, String> storage =
      stage.gated(new GatedWritableStorage<>());

  private Cache<String, String> cache() {
    return stage.build(Cache.over(storage).recordStats());
  }

  private Caller<Object> put(Cache<String, String> cache, String key, String value) {
    return stage.callers().run(() -> cache.put(key, value));
  }

  private Caller<Object> parked(Runnable call) {
    return put(call).awaitParked();
  }

  private Caller<Object> put(Runnable call) {
    return stage.callers().run(call);
  }

  @Test
  @DisplayName("F18: put stores first and installs then; reads meanwhile get the old object")
  void storesFirst() {
    storage.open();
    storage.contents().put("k", "old");
    Cache<String, String> cache = cache();
    cache.get("k");
    storage.gateWrites();
    Caller<Object> writer = put(cache, "k", "new");
    GatedCall<String, Void> write = storage.awaitWrite("k");
    stage.meanwhile(
        () -> {
          assertThat(cache.getIfPresent("k")).isEqualTo("old");
          assertThat(cache.get("k")).isEqualTo("old");
          assertThat(cache.asMap().get("k")).isEqualTo("old");
        });
    write.release(null);
    writer.value();
    assertThat(cache.getIfPresent("k")).isEqualTo("new");
    assertThat(storage.contents()).containsEntry("k", "new");
    assertThat(storage.loads()).isEqualTo(1);
  }

  @Test
  @DisplayName("F18: a put of a key that is not cached lets reads load meanwhile, and then wins")
  void readsDuringStore() {
    storage.open();
    storage.contents().put("k", "old");
    storage.gateWrites();
    Cache<String, String> cache = cache();
    Caller<Object> writer = put(cache, "k", "new");
    GatedCall<String, Void> write = storage.awaitWrite("k");
    stage.meanwhile(() -> assertThat(cache.get("k")).isEqualTo("old"));
    write.release(null);
    writer.value();
    assertThat(cache.getIfPresent("k")).isEqualTo("new");
  }

  @Test
  @DisplayName("F18: a load that began before the put installed never undoes it")
  void lateLoad() {
    storage.gateWrites();
    Cache<String, String> cache = cache();
    Caller<Object> writer = put(cache, "k", "new");
    GatedCall<String, Void> write = storage.awaitWrite("k");
    Caller<String> reader = stage.callers().start(() -> cache.get("k"));
    GatedCall<String, String> load = storage.await("k");
    write.release(null);
    writer.value();
    assertThat(cache.get("k")).as("a read after the put").isEqualTo("new");
    load.release("old");
    assertThat(reader.value()).isIn("old", "new");
    assertThat(cache.getIfPresent("k")).isEqualTo("new");
  }

  private static Arguments write(String name, Consumer<Cache<String, String>> call, String then) {
    return Arguments.of(name, call, then);
  }

  private static Stream<Arguments> writes() {
    return Stream.of(
        write("put", c -> c.put("k", "2"), "2"),
        write("putAll", c -> c.putAll(Map.of("k", "2")), "2"),
        write("remove", c -> c.remove("k"), null));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("writes")
  @DisplayName("F18: a write waits for the write of its key before it, and what is last stays")
  void ordered(String name, Consumer<Cache<String, String>> call, String then) {
    storage.gateWrites();
    Cache<String, String> cache = cache();
    Caller<Object> first = put(cache, "k", "1");
    GatedCall<String, Void> write = storage.awaitWrite("k");
    Caller<Object> second = parked(() -> call.accept(cache));
    assertThat(storage.writes()).as("the second is not at the storage yet").hasSize(1);
    write.release(null);
    first.value();
    storage.releaseWrite("k");
    second.value();
    assertThat(storage.contents().get("k")).isEqualTo(then);
    assertThat(cache.getIfPresent("k")).isEqualTo(then);
    assertThat(storage.writes()).hasSize(2);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("writes")
  @DisplayName("F18: a put waits for whatever write of its key is under way")
  void putAfter(String name, Consumer<Cache<String, String>> call, String unused) {
    storage.gateWrites();
    Cache<String, String> cache = cache();
    Caller<Object> first = put(() -> call.accept(cache));
    GatedCall<String, Void> write = storage.awaitWrite("k");
    Caller<Object> second = parked(() -> cache.put("k", "last"));
    assertThat(storage.writes()).hasSize(1);
    write.release(null);
    first.value();
    storage.releaseWrite("k");
    second.value();
    assertThat(storage.contents()).containsEntry("k", "last");
    assertThat(cache.getIfPresent("k")).isEqualTo("last");
  }

  @Test
  @DisplayName("F18: of many puts of one key each is stored alone, and the last stored stays")
  void many() {
    storage.gateWrites();
    Cache<String, String> cache = cache();
    List<Caller<Object>> writers = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      writers.add(put(cache, "k", "v" + i));
    }
    for (int i = 1; i <= 8; i++) {
      GatedCall<String, Void> write = storage.awaitWrite("k");
      assertThat(storage.writesUnderWay()).isEqualTo(1);
      write.release(null);
    }
    writers.forEach(Caller::value);
    assertThat(storage.writes()).hasSize(8);
    assertThat(cache.getIfPresent("k")).isEqualTo(storage.contents().get("k"));
  }

  @Test
  @DisplayName("F18, F11: a slow store holds up no other key, not one of the same hash")
  void otherKeys() {
    GatedWritableStorage<CollidingKey, String> colliding =
        stage.gated(new GatedWritableStorage<>());
    colliding.gateWrites();
    Cache<CollidingKey, String> cache = stage.build(Cache.over(colliding));
    Caller<Object> slow = stage.callers().run(() -> cache.put(CollidingKey.of(0), "slow"));
    GatedCall<CollidingKey, Void> write = colliding.awaitWrite(CollidingKey.of(0));
    colliding.openWrites();
    stage.meanwhile(
        () -> {
          for (int i = 1; i < 30; i++) {
            cache.put(CollidingKey.of(i), "v");
            cache.remove(CollidingKey.of(i));
          }
        });
    write.release(null);
    slow.value();
    assertThat(cache.getIfPresent(CollidingKey.of(0))).isEqualTo("slow");
  }

  private static Stream<Arguments> invalidations() {
    return Stream.of(
        write("invalidate", c -> c.invalidate("k"), null),
        write("invalidateAll of keys", c -> c.invalidateAll(List.of("k")), null),
        write("invalidateAll", Cache::invalidateAll, null),
        write("asMap remove", c -> c.asMap().remove("k"), null),
        write("asMap clear", c -> c.asMap().clear(), null));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("invalidations")
  @DisplayName("F18: an invalidation during a put does not wait, and its object is not kept")
  void invalidatedMeanwhile(String name, Consumer<Cache<String, String>> call, String unused) {
    for (boolean cached : new boolean[] {false, true}) {
      Cache<String, String> cache = cache();
      if (cached) {
        cache.put("k", "old");
      }
      storage.gateWrites();
      Caller<Object> writer = put(cache, "k", "new");
      GatedCall<String, Void> write = storage.awaitWrite("k");
      stage.meanwhile(() -> call.accept(cache));
      assertThat(cache.getIfPresent("k")).isNull();
      write.release(null);
      writer.value();
      assertThat(storage.contents()).containsEntry("k", "new");
      assertThat(cache.getIfPresent("k")).isNull();
      storage.open("k");
      assertThat(cache.get("k")).isEqualTo("new");
      storage.openWrites();
    }
  }

  @Test
  @DisplayName("F18: an invalidation during one put of two lets the second be kept")
  void invalidatedFirst() {
    storage.gateWrites();
    Cache<String, String> cache = cache();
    Caller<Object> first = put(cache, "k", "1");
    GatedCall<String, Void> write = storage.awaitWrite("k");
    cache.invalidate("k");
    write.release(null);
    first.value();
    Caller<Object> second = put(cache, "k", "2");
    storage.releaseWrite("k");
    second.value();
    assertThat(cache.getIfPresent("k")).isEqualTo("2");
  }

  @Test
  @DisplayName("F18: remove deletes in the storage, then in the cache, and detaches loads")
  void remove() {
    storage.open();
    storage.contents().put("k", "old");
    Cache<String, String> cache = cache();
    cache.get("k");
    storage.gateWrites();
    Caller<Object> remover = put(() -> cache.remove("k"));
    GatedCall<String, Void> write = storage.awaitWrite("k");
    assertThat(cache.getIfPresent("k")).isEqualTo("old");
    write.release(null);
    remover.value();
    assertThat(cache.getIfPresent("k")).isNull();
    assertThat(storage.contents()).isEmpty();
    assertThat(cache.get("k")).isNull();
    storage.shut();
    Caller<String> reader = stage.callers().start(() -> cache.get("k"));
    GatedCall<String, String> load = storage.await("k");
    storage.openWrites();
    cache.remove("k");
    load.release("ghost");
    assertThat(reader.value()).isEqualTo("ghost");
    assertThat(cache.getIfPresent("k")).isNull();
  }

  @Test
  @DisplayName("F18: putAll stores all with one storeAll and installs all")
  void putAll() {
    MapStorage<String, String> map = new MapStorage<>();
    Cache<String, String> cache = stage.build(Cache.over(map));
    cache.putAll(Map.of("a", "1", "b", "2", "c", "3"));
    assertThat(map.calls()).containsExactly("storeAll [a,b,c]");
    assertThat(cache.asMap()).isEqualTo(Map.of("a", "1", "b", "2", "c", "3"));
    assertThat(cache.getAll(List.of("a", "b", "c"))).hasSize(3);
    assertThat(map.calls()).hasSize(1);
    cache.putAll(Map.of());
    assertThat(cache.estimatedSize()).isEqualTo(3);
  }

  @Test
  @DisplayName("F18: putAlls that cross do not deadlock, and the cache agrees with the storage")
  void crossing() {
    long seed = Long.getLong("latchkey.seed", System.nanoTime());
    System.out.println("WriteOrderTest: latchkey.seed=" + seed);
    MapStorage<CollidingKey, String> map = new MapStorage<>();
    Cache<CollidingKey, String> cache = stage.build(Cache.over(map));
    CountDownLatch start = new CountDownLatch(1);
    List<Caller<Object>> writers = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      int writer = i;
      Random random = new Random(seed + i);
      writers.add(
          stage
              .callers()
              .start(
                  () -> {
                    start.await();
                    for (int n = 0; n < 1_000; n++) {
                      crossingWrite(cache, random, writer + "-" + n);
                    }
                    return null;
                  }));
    }
    start.countDown();
    writers.forEach(Caller::value);
    for (int i = 0; i < 6; i++) {
      CollidingKey key = CollidingKey.of(i);
      assertThat(cache.get(key)).as("seed %s", seed).isEqualTo(map.contents().get(key));
    }
    assertThat(cache.asMap()).as("seed %s", seed).isEqualTo(map.contents());
  }

  private static void crossingWrite(
      Cache<CollidingKey, String> cache, Random random, String value) {
    Map<CollidingKey, String> entries = new LinkedHashMap<>();
    for (int k = 0; k < 4; k++) {
      entries.put(CollidingKey.of(random.nextInt(6)), value);
    }
    int way = random.nextInt(8);
    if (way == 0) {
      cache.remove(CollidingKey.of(random.nextInt(6)));
    } else if (way == 1) {
      cache.put(CollidingKey.of(random.nextInt(6)), value);
    } else {
      cache.putAll(entries);
    }
  }

  @Test
  @DisplayName("F18: a putAll waits for the puts under way of its keys, and they for it")
  void putAllOrdered() {
    storage.gateWrites();
    Cache<String, String> cache = cache();
    Caller<Object> first = put(cache, "a", "1");
    GatedCall<String, Void> write = storage.awaitWrite("a");
    Map<String, String> both = new LinkedHashMap<>();
    both.put("b", "2");
    both.put("a", "2");
    Caller<Object> second = parked(() -> cache.putAll(both));
    assertThat(storage.writes()).containsExactly("a");
    storage.openWrites();
    write.release(null);
    first.value();
    second.value();
    assertThat(cache.asMap()).isEqualTo(Map.of("a", "2", "b", "2"));
    assertThat(storage.contents()).isEqualTo(Map.of("a", "2", "b", "2"));
  }

  @Test
  @DisplayName("F18: over a storage that cannot be written put, putAll and remove are cache-only")
  void cacheOnly() {
    Cache<String, String> cache = stage.build(Cache.over((String key) -> "v" + key));
    cache.put("k", "mine");
    cache.putAll(Map.of("l", "too"));
    assertThat(cache.get("k")).isEqualTo("mine");
    assertThat(cache.get("l")).isEqualTo("too");
    cache.remove("k");
    assertThat(cache.getIfPresent("k")).isNull();
    assertThat(cache.get("k")).isEqualTo("vk");
  }

  @Test
  @DisplayName("F18: a store may itself write and read other keys, and read its own")
  void storeUsesCache() {
    List<Cache<String, String>> itself = new ArrayList<>();
    MapStorage<String, String> map =
        new MapStorage<>() {
          @Override
          public void store(String key, String value) throws Exception {
            super.store(key, value);
            if (key.equals("k")) {
              itself.get(0).put("index", key);
              itself.get(0).getIfPresent(key);
              itself.get(0).get("other");
              itself.get(0).invalidate("x");
            }
          }
        };
    Cache<String, String> cache = stage.build(Cache.over(map));
    itself.add(cache);
    stage.meanwhile(() -> cache.put("k", "v"));
    assertThat(cache.getIfPresent("k")).isEqualTo("v");
    assertThat(cache.getIfPresent("index")).isEqualTo("k");
  }

  @Test
  @DisplayName("F18: a store that writes its own key through the cache fails instead of hanging")
  void storeOfItself() {
    List<Cache<String, String>> itself = new ArrayList<>();
    MapStorage<String, String> map =
        new MapStorage<>() {
          @Override
          public void store(String key, String value) throws Exception {
            super.store(key, value);
            itself.get(0).put(key, value);
          }
        };
    Cache<String, String> cache = stage.build(Cache.over(map));
    itself.add(cache);
    Caller<Object> writer = stage.callers().run(() -> cache.put("k", "v"));
    writer.failure(CacheException.class);
    assertThatThrownBy(() -> cache.put("k", "w")).isInstanceOf(CacheException.class);
    assertThat(cache.get("k")).isNotNull();
  }

  @Test
  @DisplayName("F18, F5: a load may put its own key: the put stays")
  void loadPutsItself() {
    List<Cache<String, String>> itself = new ArrayList<>();
    Cache<String, String> cache =
        stage.build(
            Cache.over(
                (String key) -> {
                  itself.get(0).put(key, "put");
                  return "loaded";
                }));
    itself.add(cache);
    Caller<String> reader = stage.callers().start(() -> cache.get("k"));
    assertThat(reader.value()).isIn("loaded", "put");
    assertThat(cache.getIfPresent("k")).isEqualTo("put");
  }
}
