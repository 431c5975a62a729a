package io.latchkey.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.cache.testing.Caller;
import io.latchkey.cache.testing.MapStorage;
import io.latchkey.cache.testing.Patience;
import io.latchkey.cache.testing.Sneaky;
import io.latchkey.cache.testing.Stage;
import io.latchkey.storage.WritableStorage;
import io.latchkey.storage.testkit.GatedCall;
import io.latchkey.storage.testkit.GatedWritableStorage;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Writes that fail, are uncertain or are interrupted. */
class WriteFailureTest {
  @RegisterExtension final Stage stage = new Stage();

  /** A storage whose writes take effect and then fail as they are told. */
  private static final class Failing extends MapStorage<String, String> {
    private volatile @Nullable Throwable failure;

    private void fail() {
      Throwable now = failure;
      if (now != null) {
        Sneaky.raise(now);
      }
    }

    @Override
    public void store(String key, String value) throws Exception {
      super.store(key, value);
      fail();
    }

    @Override
    public void storeAll(Map<? extends String, ? extends String> entries) throws Exception {
      super.storeAll(entries);
      fail();
    }

    @Override
    public void delete(String key) throws Exception {
      super.delete(key);
      fail();
    }
  }

  private static Arguments write(String name, Consumer<Cache<String, String>> call) {
    return Arguments.of(name, call);
  }

  private static Stream<Arguments> writes() {
    return Stream.of(
        write("put", c -> c.put("k", "new")),
        write("putAll", c -> c.putAll(Map.of("k", "new", "l", "new"))),
        write("remove", c -> c.remove("k")));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("writes")
  @DisplayName("F18: a write that fails throws with its cause, and the key is no longer cached")
  void failing(String name, Consumer<Cache<String, String>> call) {
    for (Throwable cause :
        List.of(
            new IOException("disk"),
            new IllegalStateException("closed"),
            new AssertionError("bug"),
            new StackOverflowError())) {
      Failing storage = new Failing();
      storage.holding("k", "old").holding("l", "old").holding("m", "old");
      Cache<String, String> cache = stage.build(Cache.over(storage));
      cache.getAll(List.of("k", "l", "m"));
      storage.failure = cause;
      assertThatThrownBy(() -> call.accept(cache))
          .isInstanceOf(CacheWriteException.class)
          .hasCause(cause)
          .hasMessageContaining("map");
      assertThat(cache.getIfPresent("k")).as("uncertain").isNull();
      if (name.equals("putAll")) {
        assertThat(cache.getIfPresent("l")).as("uncertain").isNull();
      }
      assertThat(cache.getIfPresent("m")).as("not concerned").isEqualTo("old");
      storage.failure = null;
      assertThat(cache.get("k")).isEqualTo(storage.contents().get("k"));
      cache.put("k", "good");
      assertThat(cache.getIfPresent("k")).as("the key can be written again").isEqualTo("good");
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("writes")
  @DisplayName("F18: a failed write also detaches the load that it met")
  void failingDuringLoad(String name, Consumer<Cache<String, String>> call) {
    GatedWritableStorage<String, String> storage = stage.gated(new GatedWritableStorage<>());
    Cache<String, String> cache = stage.build(Cache.over(storage));
    storage.gateWrites();
    Caller<Object> writer = stage.callers().run(() -> call.accept(cache));
    Caller<String> reader = stage.callers().start(() -> cache.get("k"));
    GatedCall<String, String> load = storage.await("k");
    Patience.until("the write is at the storage", () -> storage.writesUnderWay() == 1);
    // Of a putAll the storage stores one key after the other, in an order of its own.
    storage.failWrite(storage.writes().get(0), new IOException("disk"));
    writer.failure(CacheWriteException.class);
    load.release("maybe");
    assertThat(reader.value()).isEqualTo("maybe");
    assertThat(cache.getIfPresent("k")).isNull();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("writes")
  @DisplayName("F18: an interrupted write throws with the flag set, and the key is not cached")
  void interrupted(String name, Consumer<Cache<String, String>> call) {
    for (Throwable cause :
        List.of(
            new InterruptedException("stop"),
            new InterruptedIOException("stop"),
            new IOException(new java.nio.channels.ClosedByInterruptException()))) {
      Failing storage = new Failing();
      storage.holding("k", "old");
      Cache<String, String> cache = stage.build(Cache.over(storage));
      cache.get("k");
      storage.failure = cause;
      Caller<Object> writer = stage.callers().run(() -> call.accept(cache));
      assertThat(writer.failure(CacheInterruptedException.class)).hasCause(cause);
      assertThat(writer.outcome().interrupted()).as("the flag").isTrue();
      assertThat(cache.getIfPresent("k")).isNull();
      storage.failure = null;
      cache.put("k", "good");
      assertThat(cache.getIfPresent("k")).isEqualTo("good");
    }
  }

  @Test
  @DisplayName(
      "F18: a write that is interrupted while it waits for another leaves; it stored nothing")
  void interruptedWaiting() {
    GatedWritableStorage<String, String> storage = stage.gated(new GatedWritableStorage<>());
    storage.gateWrites();
    Cache<String, String> cache = stage.build(Cache.over(storage));
    Caller<Object> first = stage.callers().run(() -> cache.put("k", "1"));
    GatedCall<String, Void> write = storage.awaitWrite("k");
    Caller<Object> second = stage.callers().run(() -> cache.put("k", "2")).awaitParked();
    Caller<Object> third = stage.callers().run(() -> cache.put("k", "3")).awaitParked();
    second.interrupt().failure(CacheInterruptedException.class);
    assertThat(second.outcome().interrupted()).isTrue();
    assertThat(third.ended()).as("the third still waits").isFalse();
    write.release(null);
    first.value();
    storage.releaseWrite("k");
    third.value();
    assertThat(storage.writes()).hasSize(2);
    assertThat(cache.getIfPresent("k")).isEqualTo("3");
    assertThat(storage.contents()).containsEntry("k", "3");
  }

  @Test
  @DisplayName("F18: a flag that was set before does not keep a put from storing")
  void interruptedBefore() {
    Failing storage = new Failing();
    Cache<String, String> cache = stage.build(Cache.over(storage));
    Caller<Object> writer =
        stage
            .callers()
            .startInterrupted(
                () -> {
                  cache.put("k", "1");
                  return null;
                });
    assertThat(writer.outcome().interrupted()).isTrue();
    if (writer.outcome().failure() == null) {
      assertThat(storage.contents()).containsEntry("k", "1");
      assertThat(cache.getIfPresent("k")).isEqualTo("1");
    } else {
      writer.failure(CacheInterruptedException.class);
      assertThat(cache.getIfPresent("k")).isNull();
    }
  }

  @Test
  @DisplayName("F18: when one write fails, the next one of its key goes on")
  void nextGoesOn() {
    GatedWritableStorage<String, String> storage = stage.gated(new GatedWritableStorage<>());
    storage.gateWrites();
    Cache<String, String> cache = stage.build(Cache.over(storage));
    Caller<Object> first = stage.callers().run(() -> cache.put("k", "1"));
    GatedCall<String, Void> write = storage.awaitWrite("k");
    Caller<Object> second = stage.callers().run(() -> cache.put("k", "2")).awaitParked();
    write.fail(new IOException("disk"));
    first.failure(CacheWriteException.class);
    storage.releaseWrite("k");
    second.value();
    assertThat(cache.getIfPresent("k")).isEqualTo("2");
  }

  @Test
  @DisplayName("F18: the message of a failed write names the key, the storage and what failed")
  void message() {
    Failing storage = new Failing();
    storage.failure = new IOException("disk is full");
    Cache<String, String> cache = stage.build(Cache.over(storage));
    assertThatThrownBy(() -> cache.put("k17", "v"))
        .isInstanceOf(CacheWriteException.class)
        .hasMessageContaining("k17")
        .hasMessageContaining("map")
        .hasMessageContaining("disk is full");
  }

  /** A key whose equals throws while it is told to. */
  private record Brittle(String name, AtomicBoolean broken) {
    @Override
    public boolean equals(@Nullable Object other) {
      if (broken.get()) {
        throw new IllegalStateException("broken equals");
      }
      return other instanceof Brittle key && key.name.equals(name);
    }

    @Override
    public int hashCode() {
      return 7;
    }
  }

  private static Stream<Arguments> lateWrites() {
    Consumer<Cache<Brittle, String>> put = c -> c.put(LATE, "new");
    Consumer<Cache<Brittle, String>> putAll = c -> c.putAll(Map.of(LATE, "new"));
    Consumer<Cache<Brittle, String>> remove = c -> c.remove(LATE);
    return Stream.of(
        Arguments.of("put", put), Arguments.of("putAll", putAll), Arguments.of("remove", remove));
  }

  private static final AtomicBoolean BROKEN = new AtomicBoolean();
  private static final Brittle LATE = new Brittle("k", BROKEN);

  @ParameterizedTest(name = "{0}")
  @MethodSource("lateWrites")
  @DisplayName("F18: a key whose equals throws after the store leaves no object that is outdated")
  void brokenEquals(String name, Consumer<Cache<Brittle, String>> call) {
    Map<String, String> stored = new ConcurrentHashMap<>(Map.of("k", "old"));
    WritableStorage<Brittle, String> storage =
        new WritableStorage<>() {
          @Override
          public @Nullable String load(Brittle key) {
            return stored.get(key.name);
          }

          @Override
          public void store(Brittle key, String value) {
            stored.put(key.name, value);
            BROKEN.set(true);
          }

          @Override
          public void delete(Brittle key) {
            stored.remove(key.name);
            BROKEN.set(true);
          }
        };
    Cache<Brittle, String> cache = stage.build(Cache.over(storage));
    assertThat(cache.get(new Brittle("k", BROKEN))).isEqualTo("old");
    try {
      assertThatThrownBy(() -> call.accept(cache)).hasMessage("broken equals");
    } finally {
      BROKEN.set(false);
    }
    assertThat(cache.get(new Brittle("k", BROKEN))).isEqualTo(stored.get("k"));
    cache.invalidate(LATE);
    assertThat(cache.get(LATE)).isEqualTo(stored.get("k"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("writes")
  @DisplayName("F18: a ticker that throws after the store leaves no object that is outdated")
  void brokenTicker(String name, Consumer<Cache<String, String>> call) {
    AtomicBoolean broken = new AtomicBoolean();
    MapStorage<String, String> storage =
        new MapStorage<>() {
          @Override
          public void store(String key, String value) throws Exception {
            super.store(key, value);
            broken.set(true);
          }

          @Override
          public void delete(String key) throws Exception {
            super.delete(key);
            broken.set(true);
          }
        };
    storage.contents().put("k", "old");
    Ticker ticker =
        () -> {
          if (broken.get()) {
            throw new IllegalStateException("broken clock");
          }
          return 0;
        };
    Cache<String, String> cache =
        stage.build(Cache.over(storage).expireAfterWrite(Duration.ofDays(1)).ticker(ticker));
    assertThat(cache.get("k")).isEqualTo("old");
    try {
      call.accept(cache);
    } catch (IllegalStateException thrown) {
      assertThat(thrown).hasMessage("broken clock");
    }
    broken.set(false);
    assertThat(cache.get("k")).isEqualTo(storage.contents().get("k"));
    assertThat(cache.get("l")).isEqualTo(storage.contents().get("l"));
  }
}
