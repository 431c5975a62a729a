package io.latchkey.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.cache.testing.MapStorage;
import io.latchkey.cache.testing.Stage;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Bad arguments of the cache's own methods. */
class ArgumentTest {
  @RegisterExtension final Stage stage = new Stage();

  private static Arguments call(String name, String argument, Consumer<Cache<String, String>> act) {
    return Arguments.of(name, argument, act);
  }

  private static Map<String, String> mapOf(String key, String value) {
    Map<String, String> map = new HashMap<>();
    map.put("a", "1");
    map.put(key, value);
    return map;
  }

  private static Stream<Arguments> nulls() {
    return Stream.of(
        call("get", "key", c -> c.get(null)),
        call("get with timeout", "key", c -> c.get(null, Duration.ofDays(1))),
        call("get with null timeout", "timeout", c -> c.get("a", null)),
        call("getAsync", "key", c -> c.getAsync(null)),
        call("getAll", "keys", c -> c.getAll(null)),
        call("getAll of a null", "key", c -> c.getAll(Arrays.asList("a", null))),
        call("getIfPresent", "key", c -> c.getIfPresent(null)),
        call("put of a null key", "key", c -> c.put(null, "1")),
        call("put of a null value", "value", c -> c.put("a", null)),
        call("putAll", "entries", c -> c.putAll(null)),
        call("putAll of a null key", "key", c -> c.putAll(mapOf(null, "2"))),
        call("putAll of a null value", "value", c -> c.putAll(mapOf("b", null))),
        call("remove", "key", c -> c.remove(null)),
        call("invalidate", "key", c -> c.invalidate(null)),
        call("invalidateAll", "keys", c -> c.invalidateAll(null)),
        call("invalidateAll of a null", "key", c -> c.invalidateAll(Arrays.asList("x", null))),
        call("refresh", "key", c -> c.refresh(null)),
        call("prefetch", "keys", c -> c.prefetch(null)),
        call("prefetch of a null", "key", c -> c.prefetch(Arrays.asList("a", null))),
        call("age", "key", c -> c.policy().age(null)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("nulls")
  @DisplayName("null is refused by the argument's name, before anything is loaded or stored")
  void nullArgument(String name, String argument, Consumer<Cache<String, String>> act) {
    MapStorage<String, String> storage = new MapStorage<String, String>().holding("a", "0");
    Cache<String, String> cache = stage.build(Cache.over(storage).recordStats());
    cache.asMap().put("there", "kept");
    assertThatThrownBy(() -> act.accept(cache))
        .isInstanceOf(NullPointerException.class)
        .hasMessageContaining(argument);
    assertThat(storage.calls()).isEmpty();
    assertThat(cache.asMap()).containsOnly(Map.entry("there", "kept"));
    assertThat(cache.stats().loadFailureCount()).isZero();
  }

  @Test
  @DisplayName("a negative maximum or limit is refused with its value and changes nothing")
  void negative() {
    Cache<String, String> cache = stage.build(Cache.over((String key) -> "v").maximumSize(5));
    assertThatThrownBy(() -> cache.policy().setMaximum(-3))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("maximum")
        .hasMessageContaining("-3");
    assertThat(cache.policy().maximum()).isEqualTo(5);
    assertThatThrownBy(() -> cache.policy().hottest(-1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("limit")
        .hasMessageContaining("-1");
    assertThatThrownBy(() -> cache.policy().coldest(-1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("limit");
  }
}
