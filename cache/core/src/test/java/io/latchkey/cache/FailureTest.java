package io.latchkey.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.cache.testing.Caller;
import io.latchkey.cache.testing.GatedLoads;
import io.latchkey.cache.testing.Patience;
import io.latchkey.cache.testing.Sneaky;
import io.latchkey.cache.testing.Stage;
import io.latchkey.cache.testing.TouchyKey;
import io.latchkey.storage.Storage;
import io.latchkey.storage.StorageException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class FailureTest {
  @RegisterExtension final Stage stage = new Stage();
  private final GatedLoads<String, String> storage = stage.loads();

  private Caller<String> get(Cache<String, String> cache) {
    return stage.callers().start(() -> cache.get("a"));
  }

  /** Neither an Exception nor an Error. */
  private static final class Oddity extends Throwable {}

  /** Its own methods fail too. */
  private static final class Hostile extends RuntimeException {
    @Override
    public String getMessage() {
      throw new IllegalStateException("getMessage");
    }

    @Override
    public String toString() {
      throw new IllegalStateException("toString");
    }
  }

  static Stream<Throwable> failures() {
    IOException loop = new IOException("loops");
    loop.initCause(new IOException("back", loop));
    return Stream.of(
        new IllegalStateException("unchecked"),
        new IOException("checked"),
        new StorageException("gated", "down", null, true),
        new OutOfMemoryError("not really"),
        new StackOverflowError("made up"),
        new AssertionError("error"),
        new NoClassDefFoundError("driver"),
        new Oddity(),
        new CancellationException("cancelled"),
        new TimeoutException("timed out"),
        new CacheLoadException("of another cache", new IOException("there")),
        new CacheTimeoutException("of another cache", null),
        new RecursiveLoadException("of another cache", null),
        new ExecutionException(new IOException("wrapped")),
        new RuntimeException((String) null),
        loop);
  }

  @ParameterizedTest(
      name = "F6: {0} goes to the leader and to all waiters, each in its own exception")
  @MethodSource("failures")
  @DisplayName("F6: a failure goes to all present waiters with one load")
  void failureGoesToAll(Throwable failure) throws Exception {
    Cache<String, String> cache = stage.over(storage);
    Caller<String> leader = get(cache);
    GatedLoads.Load<String, String> load = storage.next();
    List<Caller<String>> callers =
        new ArrayList<>(stage.callers().startParked(10, () -> cache.get("a")));
    CompletableFuture<@Nullable String> one = cache.getAsync("a");
    CompletableFuture<@Nullable String> two = cache.getAsync("a");
    callers.add(leader);

    load.fails(failure);

    Set<Throwable> own = Collections.newSetFromMap(new IdentityHashMap<>());
    for (Caller<String> caller : callers) {
      own.add(caller.failure(CacheLoadException.class));
      assertThat(caller.outcome().interrupted()).isFalse();
    }
    own.add(failureOf(one));
    own.add(failureOf(two));
    assertThat(own).hasSize(13);
    for (Throwable each : own) {
      assertThat(each.getCause()).isSameAs(failure);
      assertThat(each).hasMessageContaining("gated");
    }
    assertThat(storage.calls()).as("no convoy").isEqualTo(1);
    assertThat(cache.estimatedSize()).isZero();

    Caller<String> next = get(cache);
    storage.next().returns("v");
    assertThat(next.value()).isEqualTo("v");
    assertThat(storage.calls()).isEqualTo(2);
    assertThat(cache.stats().loadFailureCount()).isEqualTo(1);
    assertThat(cache.stats().loadSuccessCount()).isEqualTo(1);
  }

  /** What the future completed with; get wraps it exactly once. */
  private static CacheLoadException failureOf(CompletableFuture<?> future) throws Exception {
    try {
      throw new AssertionError("was to fail, but gave " + future.get());
    } catch (ExecutionException e) {
      return (CacheLoadException) e.getCause();
    }
  }

  @Test
  @DisplayName("F6: an exception whose own methods throw strands nobody")
  void hostileException() {
    Cache<String, String> cache = stage.over(storage);
    Caller<String> leader = get(cache);
    GatedLoads.Load<String, String> load = storage.next();
    Caller<String> waiter = get(cache).awaitParked();
    Hostile hostile = new Hostile();
    load.fails(hostile);
    assertThat(leader.failure(CacheLoadException.class).getCause()).isSameAs(hostile);
    assertThat(waiter.failure(CacheLoadException.class).getCause()).isSameAs(hostile);
    Caller<String> next = get(cache);
    storage.next().returns("v");
    assertThat(next.value()).isEqualTo("v");
  }

  @Test
  @DisplayName("F6: a storage whose name cannot be had strands nobody")
  void namelessStorage() {
    GatedLoads<String, String> gate = stage.loads();
    Storage<String, String> nameless =
        new Storage<>() {
          @Override
          public @Nullable String load(String key) throws Exception {
            return gate.load(key);
          }

          @Override
          public String name() {
            throw new IllegalStateException("no name");
          }
        };
    Cache<String, String> cache = stage.build(Cache.over(nameless), gate);
    Caller<String> leader = get(cache);
    GatedLoads.Load<String, String> load = gate.next();
    Caller<String> waiter = get(cache).awaitParked();
    load.fails(new IOException("no"));
    assertThat(leader.outcome().failure()).isNotNull();
    assertThat(waiter.outcome().failure()).isNotNull();
    Caller<String> next = get(cache);
    gate.next().returns("v");
    assertThat(next.value()).isEqualTo("v");
  }

  @Test
  @DisplayName("F6: one exception object thrown by every load is each time the cause of a new one")
  void sharedException() {
    IOException shared = new IOException("preallocated");
    Cache<String, String> cache =
        stage.build(
            Cache.over(
                key -> {
                  throw shared;
                }));
    CacheLoadException first = get(cache).failure(CacheLoadException.class);
    CacheLoadException second = get(cache).failure(CacheLoadException.class);
    CacheLoadException third = get(cache).failure(CacheLoadException.class);
    assertThat(List.of(first, second, third)).allMatch(e -> e.getCause() == shared);
    assertThat(first).isNotSameAs(second).isNotSameAs(third);
    assertThat(second).isNotSameAs(third);
    assertThat(shared.getSuppressed()).isEmpty();
  }

  @Test
  @DisplayName("F6: join of a failed future wraps the failure once")
  void joinWrapsOnce() {
    Cache<String, String> cache = stage.over(storage);
    CompletableFuture<@Nullable String> future = cache.getAsync("a");
    IOException failure = new IOException("no");
    storage.next().fails(failure);
    assertThatThrownBy(future::join)
        .isInstanceOf(CompletionException.class)
        .hasCauseInstanceOf(CacheLoadException.class)
        .hasRootCause(failure);
  }

  @Test
  @DisplayName("F6: a failed bulk says which storage and keeps the cause")
  void failedBulk() {
    IOException failure = new IOException("no");
    Cache<String, String> cache =
        stage.build(
            Cache.over(
                key -> {
                  throw failure;
                }));
    assertThatThrownBy(() -> cache.getAll(List.of("a", "b")))
        .isInstanceOf(CacheLoadException.class)
        .hasCause(failure);
  }

  @Test
  @DisplayName("F6: a failed load leaves other keys and their objects alone")
  void failureStaysWithItsKey() {
    Cache<String, String> cache = stage.over(storage);
    cache.put("b", "kept");
    Caller<String> other = stage.callers().start(() -> cache.get("c"));
    GatedLoads.Load<String, String> otherLoad = storage.next("c");
    Caller<String> leader = get(cache);
    storage.next("a").fails(new IOException("no"));
    leader.failure(CacheLoadException.class);
    otherLoad.returns("v");
    assertThat(other.value()).isEqualTo("v");
    assertThat(cache.asMap()).containsOnly(Map.entry("b", "kept"), Map.entry("c", "v"));
  }

  @Test
  @DisplayName("F6: a key that throws from hashCode fails its own call only, before any load")
  void hashCodeThrows() {
    Cache<TouchyKey, String> cache = stage.build(Cache.over(key -> "v" + key));
    TouchyKey key = new TouchyKey("a");
    assertThat(cache.get(key)).isEqualTo("va");
    IllegalStateException broken = new IllegalStateException("hash");
    key.throwOnHash(broken);
    assertThatThrownBy(() -> cache.get(key)).isSameAs(broken);
    assertThatThrownBy(() -> cache.invalidate(key)).isSameAs(broken);
    assertThatThrownBy(() -> cache.put(key, "x")).isSameAs(broken);
    key.throwOnHash(null);
    assertThat(cache.get(key)).isEqualTo("va");
    assertThat(cache.get(new TouchyKey("b"))).isEqualTo("vb");
  }

  @Test
  @DisplayName("F6: equals that throws while a load is under way strands nobody")
  void equalsThrows() {
    GatedLoads<TouchyKey, String> loads = stage.loads();
    Cache<TouchyKey, String> cache = stage.over(loads);
    TouchyKey loading = new TouchyKey("a");
    Caller<String> leader = stage.callers().start(() -> cache.get(loading));
    GatedLoads.Load<TouchyKey, String> load = loads.next();
    Caller<String> waiter = stage.callers().startParked(() -> cache.get(new TouchyKey("a")));

    TouchyKey broken = new TouchyKey("b").throwOnEquals(new AssertionError("equals"));
    for (Runnable call :
        List.<Runnable>of(
            () -> cache.get(broken),
            () -> cache.put(broken, "x"),
            () -> cache.invalidate(broken),
            () -> cache.getIfPresent(broken),
            () -> cache.getAll(List.of(broken)),
            () -> cache.get(new TouchyKey("c").throwOnEquals(new AssertionError("equals"))))) {
      assertThat(stage.callers().run(call).failure(AssertionError.class)).hasMessage("equals");
    }

    load.returns("v");
    assertThat(leader.value()).isEqualTo("v");
    assertThat(waiter.value()).isEqualTo("v");
    assertThat(cache.get(new TouchyKey("a"))).isEqualTo("v");
    Caller<String> other = stage.callers().start(() -> cache.get(new TouchyKey("d")));
    loads.next().returns("d");
    assertThat(other.value()).isEqualTo("d");
    assertThat(loads.calls()).isEqualTo(2);
  }

  @ParameterizedTest(name = "F6: a loading key among {0} of its hash begins to throw from equals")
  @ValueSource(ints = {1, 30})
  @DisplayName("F6: a key whose equals begins to throw while it loads does not strand its waiters")
  void equalsBeginsToThrow(int others) throws Exception {
    GatedLoads<TouchyKey, String> loads = stage.loads();
    Cache<TouchyKey, String> cache = stage.over(loads);
    for (int i = 0; i < others; i++) {
      cache.put(new TouchyKey("other" + i), "kept");
    }
    TouchyKey loading = new TouchyKey("a");
    Caller<String> leader = stage.callers().start(() -> cache.get(loading));
    GatedLoads.Load<TouchyKey, String> load = loads.next();
    Caller<String> waiter = stage.callers().startParked(() -> cache.get(loading));
    CompletableFuture<@Nullable String> future = cache.getAsync(loading);
    loading.throwOnEquals(new IllegalStateException("equals"));
    load.fails(new IOException("no"));
    assertThat(leader.failure(CacheLoadException.class)).hasCauseInstanceOf(IOException.class);
    waiter.failure(CacheLoadException.class);
    Patience.until("the future is told", future::isDone);
    assertThat(failureOf(future)).hasCauseInstanceOf(IOException.class);
    loading.throwOnEquals(null);
    for (int i = 0; i < others; i++) {
      assertThat(cache.getIfPresent(new TouchyKey("other" + i))).isEqualTo("kept");
    }
    Caller<String> next = stage.callers().start(() -> cache.get(loading));
    loads.next().returns("v");
    assertThat(next.value()).isEqualTo("v");
  }

  @Test
  @DisplayName("F6: a load that dies of a real stack overflow fails like any other")
  void realStackOverflow() {
    Cache<String, String> cache = stage.over(storage);
    Caller<String> leader = get(cache);
    GatedLoads.Load<String, String> load = storage.next();
    Caller<String> waiter = get(cache).awaitParked();
    load.runs(() -> endless(0));
    assertThat(leader.failure(CacheLoadException.class))
        .hasCauseInstanceOf(StackOverflowError.class);
    assertThat(waiter.failure(CacheLoadException.class))
        .hasCauseInstanceOf(StackOverflowError.class);
    Caller<String> next = get(cache);
    storage.next().returns("v");
    assertThat(next.value()).isEqualTo("v");
  }

  @SuppressWarnings("InfiniteRecursion")
  private static String endless(int depth) {
    return endless(depth + 1) + depth;
  }

  @Test
  @DisplayName("F6: a load that kills its thread's interrupt flag and fails is a failure")
  void swallowedFlag() {
    Cache<String, String> cache = stage.over(storage);
    Caller<String> leader = get(cache);
    storage
        .next()
        .runs(
            () -> {
              Thread.currentThread().interrupt();
              assertThat(Thread.interrupted()).isTrue();
              return Sneaky.raise(new IOException("no"));
            });
    leader.failure(CacheLoadException.class);
    assertThat(leader.outcome().interrupted()).isFalse();
  }
}
