package io.latchkey.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.latchkey.cache.testing.Caller;
import io.latchkey.cache.testing.FeedStorage;
import io.latchkey.cache.testing.ProbeProvider;
import io.latchkey.cache.testing.Roadblock;
import io.latchkey.cache.testing.Sneaky;
import io.latchkey.cache.testing.Stage;
import io.latchkey.cache.testing.TouchyKey;
import io.latchkey.storage.Codec;
import io.latchkey.storage.FeedListener;
import io.latchkey.storage.Subscription;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What the feed's events do; {@link FeedGapTest} has what happens in gaps. */
class FeedTest {
  @RegisterExtension final Stage stage = new Stage();

  private final FeedStorage<String, String> storage = new FeedStorage<>();

  private Cache<String, String> whole(CacheBuilder<String, String> builder) {
    storage.holding("a", "1").holding("b", "2").holding("c", "3");
    Cache<String, String> cache = stage.build(builder);
    storage.whole();
    return cache;
  }

  private Cache<String, String> whole() {
    return whole(Cache.over(storage));
  }

  private Cache<String, String> filled() {
    Cache<String, String> cache = whole();
    cache.getAll(List.of("a", "b", "c"));
    assertThat(cache.estimatedSize()).isEqualTo(3);
    return cache;
  }

  @Test
  @DisplayName("F19: the cache subscribes when it is built and unsubscribes when it is closed")
  void subscribes() {
    Cache<String, String> cache = stage.build(Cache.over(storage));
    assertThat(storage.calls()).containsExactly("watch");
    cache.close();
    cache.close();
    assertThat(storage.calls()).containsExactly("watch", "unwatch");
    assertThat(storage.subscriptions()).isZero();
  }

  @Test
  @DisplayName("F19: changed is an invalidation of its keys and of no other")
  void changed() {
    Cache<String, String> cache = filled();
    storage.holding("a", "new");
    storage.changed("a", "x");
    assertThat(cache.getIfPresent("a")).isNull();
    assertThat(cache.asMap()).containsOnlyKeys("b", "c");
    assertThat(cache.get("a")).isEqualTo("new");
    assertThat(cache.getIfPresent("a")).isEqualTo("new");
    storage.changed();
    assertThat(cache.estimatedSize()).isEqualTo(3);
  }

  @Test
  @DisplayName("F19: changedAll is invalidateAll; what is loaded after it is kept")
  void changedAll() {
    Cache<String, String> cache = filled();
    storage.changedAll();
    assertThat(cache.asMap()).isEmpty();
    cache.get("a");
    assertThat(cache.getIfPresent("a")).isEqualTo("1");
  }

  @Test
  @DisplayName("F19: an event throws out cached absences and failures, too")
  void negatives() {
    FeedStorage<String, String> flaky =
        new FeedStorage<>() {
          @Override
          public String load(String key) throws Exception {
            if (key.equals("bad") && !contents().containsKey(key)) {
              throw new IOException("bad");
            }
            return super.load(key);
          }
        };
    Cache<String, String> cache =
        stage.build(
            Cache.over(flaky)
                .cacheAbsentFor(Duration.ofDays(1))
                .cacheFailuresFor(Duration.ofDays(1)));
    flaky.whole();
    assertThat(cache.get("none")).isNull();
    assertThatThrownBy(() -> cache.get("bad")).isInstanceOf(CacheLoadException.class);
    flaky.holding("none", "1").holding("bad", "2");
    assertThat(cache.get("none")).as("cached").isNull();
    flaky.changed("none", "bad");
    assertThat(cache.get("none")).isEqualTo("1");
    assertThat(cache.get("bad")).isEqualTo("2");
  }

  private static Arguments event(String name, Consumer<FeedStorage<String, String>> event) {
    return Arguments.of(name, event);
  }

  private static Stream<Arguments> events() {
    return Stream.of(
        event("changed", feed -> feed.changed("a")),
        event("changedAll", FeedStorage::changedAll),
        event(
            "lost and whole",
            feed -> {
              feed.lost();
              feed.whole();
            }));
  }

  /** A feed whose load of a is held until the test lets it go. */
  private FeedStorage<String, String> holding(Roadblock block) {
    return new FeedStorage<>() {
      @Override
      public String load(String key) throws Exception {
        String value = super.load(key);
        block.pass();
        return value;
      }

      @Override
      public Map<String, String> loadAll(Set<? extends String> keys) throws Exception {
        Map<String, String> values = super.loadAll(keys);
        block.pass();
        return values;
      }

      @Override
      public void store(String key, String value) throws Exception {
        super.store(key, value);
        block.pass();
      }
    };
  }

  private static Stream<Arguments> readsAndEvents() {
    List<Arguments> calls =
        List.of(
            Arguments.of("get", reader(cache -> cache.get("a"))),
            Arguments.of("getAll", reader(cache -> cache.getAll(List.of("a")).get("a"))),
            Arguments.of("getAsync", reader(cache -> cache.getAsync("a").join())),
            Arguments.of("refresh", reader(cache -> cache.refresh("a").join())));
    return calls.stream()
        .flatMap(
            call ->
                events()
                    .map(
                        event ->
                            Arguments.of(
                                call.get()[0] + ", " + event.get()[0],
                                call.get()[1],
                                event.get()[1])));
  }

  private static Function<Cache<String, String>, String> reader(
      Function<Cache<String, String>, String> reader) {
    return reader;
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("readsAndEvents")
  @DisplayName("F19, F2: a load that an event met is given to its callers and not kept")
  void duringLoad(
      String name,
      Function<Cache<String, String>, String> reader,
      Consumer<FeedStorage<String, String>> event) {
    Roadblock block = stage.roadblock().arm();
    FeedStorage<String, String> feed = holding(block);
    feed.holding("a", "old");
    Cache<String, String> cache = stage.build(Cache.over(feed));
    feed.whole();
    Caller<String> caller = stage.callers().start(() -> reader.apply(cache));
    block.awaitHeld();
    feed.holding("a", "new");
    stage.meanwhile(() -> event.accept(feed));
    stage.meanwhile(() -> assertThat(cache.get("a")).as("after the event").isEqualTo("new"));
    block.open();
    assertThat(caller.value()).isEqualTo("old");
    assertThat(cache.getIfPresent("a")).isEqualTo("new");
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("events")
  @DisplayName("F19, F18: an event of another thread during a put: its object is not kept")
  void duringPut(String name, Consumer<FeedStorage<String, String>> event) {
    Roadblock block = stage.roadblock().arm();
    FeedStorage<String, String> feed = holding(block);
    Cache<String, String> cache = stage.build(Cache.over(feed));
    feed.whole();
    Caller<Object> writer = stage.callers().run(() -> cache.put("a", "mine"));
    block.awaitHeld();
    feed.holding("a", "other's");
    stage.meanwhile(() -> event.accept(feed));
    block.open();
    writer.value();
    assertThat(cache.getIfPresent("a")).isNull();
    assertThat(cache.get("a")).isEqualTo("other's");
  }

  /** A feed that echoes each store in the storing thread before store returns. */
  private static class Echoing extends FeedStorage<String, String> {
    @Override
    public void store(String key, String value) throws Exception {
      super.store(key, value);
      changed(key, "neighbour");
    }
  }

  @Test
  @DisplayName("F19: the echo of a put in its own thread does not throw out what it stored")
  void ownEcho() {
    FeedStorage<String, String> feed = new Echoing();
    Cache<String, String> cache = stage.build(Cache.over(feed));
    feed.whole();
    cache.asMap().put("neighbour", "stale");
    cache.put("a", "mine");
    assertThat(cache.getIfPresent("a")).isEqualTo("mine");
    assertThat(cache.getIfPresent("neighbour")).as("other keys of the echo").isNull();
    cache.put("a", "again");
    assertThat(cache.getIfPresent("a")).isEqualTo("again");
    feed.changed("a");
    assertThat(cache.getIfPresent("a")).as("an event after the put").isNull();
  }

  @Test
  @DisplayName("F19: an echo that another cache's put sent throws out")
  void othersEcho() {
    FeedStorage<String, String> feed = new Echoing();
    Cache<String, String> mine = stage.build(Cache.over(feed));
    Cache<String, String> other = stage.build(Cache.over(feed));
    feed.whole();
    mine.put("a", "1");
    assertThat(other.get("a")).isEqualTo("1");
    other.put("a", "2");
    assertThat(other.getIfPresent("a")).isEqualTo("2");
    assertThat(mine.getIfPresent("a")).isNull();
    assertThat(mine.get("a")).isEqualTo("2");
  }

  @Test
  @DisplayName(
      "F19: if watch throws, build throws its cause and closes what it opened, nothing else")
  void watchThrows() {
    for (Throwable cause :
        List.of(
            new IOException("refused"), new IllegalStateException("no"), new AssertionError())) {
      FeedStorage<String, String> failing =
          new FeedStorage<>() {
            @Override
            public Subscription watch(FeedListener<String> listener) {
              return Sneaky.raise(cause);
            }
          };
      Throwable thrown = catchThrowable(() -> Cache.over(failing).build());
      if (thrown != cause) {
        assertThat(thrown)
            .isInstanceOf(CacheException.class)
            .hasCause(cause)
            .hasMessageContaining("feed");
      }
      assertThat(failing.closes()).as("it was passed in").isZero();
      Codec<String> text = Codec.utf8();
      String url = ProbeProvider.url(failing);
      assertThat(catchThrowable(() -> Cache.over(url, text, text).build())).isNotNull();
      assertThat(failing.closes()).as("build opened it").isEqualTo(1);
    }
  }

  @Test
  @DisplayName("F19: events that come while watch runs count")
  void duringWatch() {
    FeedStorage<String, String> eager =
        new FeedStorage<>() {
          @Override
          public Subscription watch(FeedListener<String> listener) throws Exception {
            Subscription subscription = super.watch(listener);
            whole();
            changed("a");
            return subscription;
          }
        };
    eager.holding("a", "1");
    Cache<String, String> cache = stage.build(Cache.over(eager));
    assertThat(cache.get("a")).isEqualTo("1");
    assertThat(cache.getIfPresent("a")).as("the feed is whole").isEqualTo("1");
  }

  @Test
  @DisplayName("F19: events after close do no harm to the storage's thread")
  void afterClose() {
    Cache<String, String> cache = whole();
    FeedListener<String> kept = storage.listener();
    cache.close();
    kept.changed(1, 1, List.of("a"));
    kept.changedAll(1, 2);
    kept.lost("gone");
    kept.whole(2, 1);
    assertThat(storage.subscriptions()).isZero();
  }

  @Test
  @DisplayName("F19: a hole in the sequence is a loss: nothing from before it is served")
  void hole() {
    Cache<String, String> cache = filled();
    storage.moveTo(1, storage.sequence() + 1);
    storage.changed("a");
    assertThat(cache.asMap()).as("the missed event may have been of any key").isEmpty();
    storage.whole();
    cache.get("b");
    assertThat(cache.getIfPresent("b")).isEqualTo("2");
    storage.changed("c");
    assertThat(cache.getIfPresent("b")).as("the count goes on after whole").isEqualTo("2");
  }

  @Test
  @DisplayName("F19: an event of another epoch without a loss told is a loss")
  void epoch() {
    Cache<String, String> cache = filled();
    storage.moveTo(2, 0);
    storage.changed("a");
    assertThat(cache.asMap()).isEmpty();
    storage.whole();
    cache.get("b");
    storage.changed("c");
    assertThat(cache.getIfPresent("b")).isEqualTo("2");
  }

  @Test
  @DisplayName("F19: an event that comes twice is no loss")
  void duplicate() {
    Cache<String, String> cache = filled();
    storage.changed("a");
    storage.listener().changed(1, storage.sequence(), List.of("a"));
    assertThat(cache.asMap()).containsOnlyKeys("b", "c");
    storage.changed("b");
    assertThat(cache.asMap()).containsOnlyKeys("c");
  }

  @Test
  @DisplayName("F19: the listener throws nothing at the storage, whatever the keys do")
  void touchyKeys() {
    FeedStorage<TouchyKey, String> feed = new FeedStorage<>();
    TouchyKey good = new TouchyKey("good");
    TouchyKey bad = new TouchyKey("bad");
    feed.holding(good, "1");
    Cache<TouchyKey, String> cache = stage.build(Cache.over(feed));
    feed.whole();
    cache.get(good);
    bad.throwOnHash(new IllegalStateException("hash"));
    try {
      feed.changed(bad, good);
    } catch (IllegalStateException e) {
      assertThat(e).hasMessage("hash");
    }
    // Whether it threw or not, it must not go on as if the event had been dealt with.
    assertThat(cache.getIfPresent(good)).isNull();
  }
}
