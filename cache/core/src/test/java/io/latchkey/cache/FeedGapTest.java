package io.latchkey.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.cache.testing.Caller;
import io.latchkey.cache.testing.FeedStorage;
import io.latchkey.cache.testing.Patience;
import io.latchkey.cache.testing.Roadblock;
import io.latchkey.cache.testing.Stage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Between {@code lost} and {@code whole}, and before the first {@code whole}. */
class FeedGapTest {
  @RegisterExtension final Stage stage = new Stage();

  private final Roadblock block = stage.roadblock();

  private final FeedStorage<String, String> storage =
      new FeedStorage<>() {
        @Override
        public @Nullable String load(String key) throws Exception {
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

  private Cache<String, String> build() {
    storage.holding("a", "1").holding("b", "2").holding("c", "3");
    return stage.build(Cache.over(storage).recordStats());
  }

  private enum Gap {
    BEFORE_THE_FIRST_WHOLE {
      @Override
      void begin(FeedStorage<?, ?> feed) {}
    },
    AFTER_A_LOSS {
      @Override
      void begin(FeedStorage<?, ?> feed) {
        feed.whole();
        feed.lost();
      }
    },
    AFTER_TWO_LOSSES {
      @Override
      void begin(FeedStorage<?, ?> feed) {
        feed.whole();
        feed.lost();
        feed.whole();
        feed.lost();
        feed.lost();
      }
    };

    abstract void begin(FeedStorage<?, ?> feed);
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource(Gap.class)
  @DisplayName("F19: what is loaded in a gap is given and not kept, whatever asked for it")
  void loads(Gap gap) {
    Cache<String, String> cache = build();
    gap.begin(storage);
    assertThat(cache.get("a")).isEqualTo("1");
    assertThat(cache.getAll(List.of("a", "b"))).isEqualTo(Map.of("a", "1", "b", "2"));
    assertThat(cache.getAsync("b").join()).isEqualTo("2");
    assertThat(cache.refresh("c").join()).isEqualTo("3");
    assertThat(cache.get("c", Duration.ofDays(1))).isEqualTo("3");
    assertThat(cache.get("none")).isNull();
    assertThat(cache.asMap()).isEmpty();
    assertThat(cache.estimatedSize()).isZero();
    storage.holding("a", "new");
    assertThat(cache.get("a")).isEqualTo("new");
    storage.whole();
    assertThat(cache.asMap()).isEmpty();
    cache.get("a");
    assertThat(cache.getIfPresent("a")).isEqualTo("new");
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource(Gap.class)
  @DisplayName("F19: a load that began in a gap is not kept when it ends after the gap")
  void loadOutlivesGap(Gap gap) {
    Cache<String, String> cache = build();
    gap.begin(storage);
    block.arm();
    Caller<String> leader = stage.callers().start(() -> cache.get("a"));
    block.awaitHeld();
    Caller<String> waiter = stage.callers().startParked(() -> cache.get("a"));
    storage.holding("a", "new");
    storage.whole();
    block.open();
    assertThat(leader.value()).isEqualTo("1");
    assertThat(waiter.value()).isEqualTo("1");
    assertThat(cache.getIfPresent("a")).isNull();
    assertThat(cache.get("a")).isEqualTo("new");
    assertThat(cache.getIfPresent("a")).isEqualTo("new");
  }

  @Test
  @DisplayName("F19: a bulk that began in a gap is not kept when it ends after the gap")
  void bulkOutlivesGap() {
    Cache<String, String> cache = build();
    block.arm();
    Caller<Map<String, String>> caller =
        stage.callers().start(() -> cache.getAll(List.of("a", "b")));
    block.awaitHeld();
    storage.whole();
    block.open();
    assertThat(caller.value()).hasSize(2);
    assertThat(cache.asMap()).isEmpty();
  }

  @Test
  @DisplayName("F19: a prefetch and a refresh that began in a gap are not kept after it")
  void othersOutliveGap() {
    Cache<String, String> cache = build();
    block.arm();
    cache.prefetch(List.of("a"));
    block.awaitHeld();
    Caller<String> refresher = stage.callers().start(() -> cache.refresh("b").join());
    assertThat(refresher.value()).isEqualTo("2");
    storage.whole();
    block.open();
    Patience.until("both loads end", () -> cache.stats().loadSuccessCount() == 2);
    assertThat(cache.asMap()).isEmpty();
  }

  @Test
  @DisplayName(
      "F19: a load that began before a loss is not kept, whether it ends in the gap or after")
  void loadMeetsLoss() {
    Cache<String, String> cache = build();
    storage.whole();
    block.arm();
    Caller<String> leader = stage.callers().start(() -> cache.get("a"));
    block.awaitHeld();
    storage.lost();
    block.open();
    assertThat(leader.value()).isEqualTo("1");
    assertThat(cache.getIfPresent("a")).isNull();
    storage.whole();
    assertThat(cache.getIfPresent("a")).isNull();
  }

  @Test
  @DisplayName("F19: a loss throws out all that was cached")
  void loss() {
    Cache<String, String> cache = build();
    storage.whole();
    cache.getAll(List.of("a", "b"));
    assertThat(cache.estimatedSize()).isEqualTo(2);
    storage.lost();
    assertThat(cache.asMap()).isEmpty();
    assertThat(cache.stats().evictionCount()).isZero();
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource(Gap.class)
  @DisplayName("F19: a put in a gap is stored and not kept")
  void puts(Gap gap) {
    Cache<String, String> cache = build();
    gap.begin(storage);
    cache.put("a", "mine");
    cache.putAll(Map.of("b", "mine"));
    assertThat(storage.contents()).containsEntry("a", "mine").containsEntry("b", "mine");
    assertThat(cache.getIfPresent("a")).isNull();
    assertThat(cache.getIfPresent("b")).isNull();
    assertThat(cache.get("a")).isEqualTo("mine");
    storage.whole();
    assertThat(cache.getIfPresent("a")).isNull();
    cache.put("a", "later");
    assertThat(cache.getIfPresent("a")).isEqualTo("later");
  }

  @Test
  @DisplayName("F19: a put that a loss met is stored and not kept, also when it ends after the gap")
  void putMeetsLoss() {
    Cache<String, String> cache = build();
    storage.whole();
    block.arm();
    Caller<Object> writer = stage.callers().run(() -> cache.put("a", "mine"));
    block.awaitHeld();
    storage.lost();
    storage.whole();
    block.open();
    writer.value();
    assertThat(storage.contents()).containsEntry("a", "mine");
    assertThat(cache.getIfPresent("a")).isNull();
  }

  @Test
  @DisplayName("F19, F1: in a gap callers still share a load that is under way")
  void sharedInGap() {
    Cache<String, String> cache = build();
    block.arm();
    Caller<String> leader = stage.callers().start(() -> cache.get("a"));
    block.awaitHeld();
    List<Caller<String>> waiters = stage.callers().startParked(3, () -> cache.get("a"));
    block.open();
    assertThat(leader.value()).isEqualTo("1");
    waiters.forEach(waiter -> assertThat(waiter.value()).isEqualTo("1"));
    assertThat(storage.count("load a")).isEqualTo(1);
  }

  @Test
  @DisplayName("F19: whole twice is whole; a loss after it begins a gap again")
  void wholeTwice() {
    Cache<String, String> cache = build();
    storage.whole();
    cache.get("a");
    storage.whole();
    cache.get("b");
    assertThat(cache.getIfPresent("b")).isEqualTo("2");
    storage.lost();
    cache.get("c");
    assertThat(cache.asMap()).isEmpty();
  }

  @Test
  @DisplayName("F19: with changes, losses and gaps at random, no read goes back behind an event")
  void neverStale() {
    long seed = Long.getLong("latchkey.seed", System.nanoTime());
    System.out.println("FeedGapTest: latchkey.seed=" + seed);
    FeedStorage<Integer, Integer> versions = new FeedStorage<>();
    int keys = 5;
    for (int k = 0; k < keys; k++) {
      versions.contents().put(k, 0);
    }
    Cache<Integer, Integer> cache = stage.build(Cache.over(versions).maximumSize(4));
    versions.whole();
    AtomicIntegerArray floor = new AtomicIntegerArray(keys);
    AtomicBoolean over = new AtomicBoolean();
    List<Caller<Object>> readers = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      Random random = new Random(seed + i);
      readers.add(
          stage
              .callers()
              .run(
                  () -> {
                    while (!over.get()) {
                      int k = random.nextInt(keys);
                      int least = floor.get(k);
                      Integer got =
                          random.nextBoolean() ? cache.get(k) : cache.getAll(List.of(k)).get(k);
                      assertThat(got).as("seed %s", seed).isGreaterThanOrEqualTo(least);
                    }
                  }));
    }
    Random random = new Random(~seed);
    for (int version = 1; version < 8_000; version++) {
      int k = random.nextInt(keys);
      versions.contents().put(k, version);
      switch (random.nextInt(10)) {
        case 0 -> versions.changedAll();
        case 1 -> {
          versions.lost();
          versions.whole();
        }
        default -> versions.changed(k);
      }
      floor.set(k, version);
    }
    over.set(true);
    readers.forEach(Caller::value);
    for (int k = 0; k < keys; k++) {
      assertThat(cache.get(k)).isEqualTo(versions.contents().get(k));
    }
  }
}
