package io.latchkey.cache.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.cache.Cache;
import io.latchkey.cache.testing.Caller;
import io.latchkey.cache.testing.ManualExecutor;
import io.latchkey.cache.testing.MapStorage;
import io.latchkey.cache.testing.Patience;
import io.latchkey.cache.testing.Roadblock;
import io.latchkey.cache.testing.Stage;
import java.util.AbstractCollection;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Loads that nobody waits for, beside callers that come while they are started. */
class PrefetchTest {
  @RegisterExtension final Stage stage = new Stage();
  private final ManualExecutor executor = new ManualExecutor();

  /** A key whose hash a roadblock may hold up. */
  private record SlowKey(String name, Roadblock block) {
    @Override
    public int hashCode() {
      block.pass();
      return name.hashCode();
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof SlowKey that && name.equals(that.name);
    }
  }

  @Test
  @DisplayName("A prefetch over a storage without loadAll of its own loads each key")
  void prefetchSingly() {
    Cache<String, Integer> cache =
        stage.build(Cache.<String, Integer>over(String::length).executor(executor));
    cache.prefetch(List.of("a", "bb"));
    executor.runAll();
    assertThat(cache.getIfPresent("a")).isEqualTo(1);
    assertThat(cache.getIfPresent("bb")).isEqualTo(2);
    assertThat(cache.stats().loadSuccessCount()).isEqualTo(2);
  }

  @Test
  @DisplayName("A get beside a prefetch that still gathers its keys leaves none of them unloaded")
  void getWhileGathering() {
    Roadblock none = new Roadblock();
    Roadblock block = stage.roadblock();
    SlowKey early = new SlowKey("early", none);
    SlowKey late = new SlowKey("late", block);
    MapStorage<SlowKey, String> storage =
        new MapStorage<SlowKey, String>().holding(early, "E").holding(late, "L");
    Cache<SlowKey, String> cache = stage.build(Cache.over(storage).executor(executor));

    Caller<Object> prefetch =
        stage.callers().run(() -> cache.prefetch(armingAtTheEnd(List.of(early, late), block)));
    block.awaitHeld();
    Caller<String> get = stage.callers().start(() -> cache.get(early));
    Patience.until("the get has ended or waits", () -> get.ended() || waits(get.thread()));
    block.open();
    prefetch.value();
    executor.runAll();

    assertThat(get.value()).isEqualTo("E");
    assertThat(stage.callers().start(() -> cache.get(late)).value()).isEqualTo("L");
  }

  private static boolean waits(Thread thread) {
    return thread.getState() == Thread.State.TIMED_WAITING;
  }

  /** Arms the roadblock once duplicates have been sought, so before entries are made. */
  private static <T> Collection<T> armingAtTheEnd(List<T> keys, Roadblock block) {
    return new AbstractCollection<>() {
      @Override
      public Iterator<T> iterator() {
        Iterator<T> each = keys.iterator();
        return new Iterator<>() {
          @Override
          public boolean hasNext() {
            if (!each.hasNext()) {
              block.arm();
            }
            return each.hasNext();
          }

          @Override
          public T next() {
            return each.next();
          }
        };
      }

      @Override
      public int size() {
        return keys.size();
      }
    };
  }
}
