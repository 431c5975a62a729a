package io.latchkey.cache.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.cache.Cache;
import io.latchkey.cache.testing.Caller;
import io.latchkey.cache.testing.CollidingKey;
import io.latchkey.cache.testing.MapStorage;
import io.latchkey.cache.testing.Roadblock;
import io.latchkey.cache.testing.Stage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Looks at a key whose object is replaced at that moment. */
class MapViewRaceTest {
  @RegisterExtension final Stage stage = new Stage();
  private final Roadblock block = stage.roadblock();

  /** A cache whose clock may hold a caller, between finding an entry and looking at it. */
  private final Cache<String, Integer> cache =
      stage.build(
          Cache.<String, Integer>over(new MapStorage<>())
              .expireAfterWrite(Duration.ofHours(1))
              .ticker(
                  () -> {
                    block.pass();
                    return 0;
                  })
              .executor(Runnable::run));

  @Test
  @DisplayName("A key that is replaced while it is looked up is present all the time")
  void getIfPresent() {
    cache.put("key", 1);
    block.arm();
    Caller<Integer> look = stage.callers().start(() -> cache.getIfPresent("key"));
    block.awaitHeld();
    cache.put("key", 2);
    block.open();
    assertThat(look.value()).isEqualTo(2);
  }

  @Test
  @DisplayName("The same holds for the view as a map")
  void map() {
    cache.put("key", 1);
    block.arm();
    Caller<Integer> replace = stage.callers().start(() -> cache.asMap().replace("key", 3));
    block.awaitHeld();
    cache.put("key", 2);
    block.open();
    assertThat(replace.value()).isEqualTo(2);
    assertThat(cache.getIfPresent("key")).isEqualTo(3);
  }

  @Test
  @DisplayName("A key that was there all the time is not left out of an iteration")
  void iteration() {
    Cache<CollidingKey, Integer> colliding =
        stage.build(Cache.<CollidingKey, Integer>over(new MapStorage<>()).executor(Runnable::run));
    for (int i = 0; i < 20; i++) {
      colliding.put(CollidingKey.of(i), i);
    }
    List<Integer> seen = new ArrayList<>();
    Iterator<Map.Entry<CollidingKey, Integer>> each = colliding.asMap().entrySet().iterator();
    while (each.hasNext()) {
      seen.add(each.next().getValue() % 100);
      for (int i = 0; i < 20; i++) {
        colliding.put(CollidingKey.of(i), i + 100);
      }
      colliding.invalidate(CollidingKey.of(seen.get(0)));
    }
    assertThat(seen).hasSize(20).doesNotHaveDuplicates();
  }
}
