package io.latchkey.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.cache.testing.Stage;
import io.latchkey.storage.Codec;
import io.latchkey.storage.Storage;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class BuilderTest {
  private static final Duration MAX = Duration.ofSeconds(Long.MAX_VALUE, 999_999_999);

  @RegisterExtension final Stage stage = new Stage();

  private final Storage<String, String> storage = key -> "v-" + key;

  /** An option that takes one argument, by its name. */
  private interface Option<A>
      extends BiFunction<CacheBuilder<String, String>, A, CacheBuilder<String, String>> {}

  private static Map<String, Option<Duration>> durations() {
    Map<String, Option<Duration>> options = new LinkedHashMap<>();
    options.put("expireAfterWrite", CacheBuilder::expireAfterWrite);
    options.put("expireAfterAccess", CacheBuilder::expireAfterAccess);
    options.put("refreshAfterWrite", CacheBuilder::refreshAfterWrite);
    options.put("staleIfError", CacheBuilder::staleIfError);
    options.put("cacheAbsentFor", CacheBuilder::cacheAbsentFor);
    options.put("cacheFailuresFor", CacheBuilder::cacheFailuresFor);
    options.put("loadTimeout", CacheBuilder::loadTimeout);
    return options;
  }

  private static Stream<Arguments> durationOptions() {
    return durations().entrySet().stream().map(e -> Arguments.of(e.getKey(), e.getValue()));
  }

  private CacheBuilder<String, String> builder() {
    return Cache.over(storage);
  }

  @Test
  @DisplayName("null storage, URL or codec is refused by name")
  void nullSource() {
    assertThatThrownBy(() -> Cache.<String, String>over(null))
        .isInstanceOf(NullPointerException.class)
        .hasMessageContaining("storage");
    Codec<String> text = Codec.utf8();
    assertThatThrownBy(() -> Cache.over(null, text, text))
        .isInstanceOf(NullPointerException.class)
        .hasMessageContaining("url");
    assertThatThrownBy(() -> Cache.<String, String>over("memory:x", null, text))
        .isInstanceOf(NullPointerException.class)
        .hasMessageContaining("keys");
    assertThatThrownBy(() -> Cache.<String, String>over("memory:x", text, null))
        .isInstanceOf(NullPointerException.class)
        .hasMessageContaining("values");
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("durationOptions")
  @DisplayName("E3: a negative duration is refused with its option and value, null by name")
  void badDuration(String name, Option<Duration> option) {
    for (Duration negative :
        new Duration[] {
          Duration.ofNanos(-1), Duration.ofDays(-400), Duration.ofSeconds(Long.MIN_VALUE)
        }) {
      assertThatThrownBy(() -> option.apply(builder(), negative).build())
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(name)
          .hasMessageContaining(negative.toString());
    }
    assertThatThrownBy(() -> option.apply(builder(), null))
        .isInstanceOf(NullPointerException.class)
        .hasMessageContaining(name);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("durationOptions")
  @DisplayName("E3: the longest duration works, the shortest is accepted")
  void extremeDuration(String name, Option<Duration> option) {
    Cache<String, String> cache = stage.build(option.apply(builder(), MAX));
    assertThat(cache.get("a")).isEqualTo("v-a");
    assertThat(cache.getIfPresent("a")).as(name).isEqualTo("v-a");
    assertThatCode(() -> stage.build(option.apply(builder(), Duration.ZERO)))
        .doesNotThrowAnyException();
  }

  @Test
  @DisplayName(
      "negative bounds are refused with their option and value, zero and the most are fine")
  void badBound() {
    assertThatThrownBy(() -> builder().maximumSize(-1).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("maximumSize")
        .hasMessageContaining("-1");
    assertThatThrownBy(() -> builder().maximumWeight(-7).weigher((k, v) -> 1).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("maximumWeight")
        .hasMessageContaining("-7");
    for (long bound : new long[] {0, 1, Integer.MAX_VALUE, Long.MAX_VALUE}) {
      Cache<String, String> sized = stage.build(builder().maximumSize(bound));
      assertThat(sized.get("a")).isEqualTo("v-a");
      assertThat(sized.policy().maximum()).isEqualTo(bound);
      Cache<String, String> weighed =
          stage.build(builder().maximumWeight(bound).weigher((k, v) -> 1));
      assertThat(weighed.get("a")).isEqualTo("v-a");
      assertThat(weighed.policy().maximum()).isEqualTo(bound);
    }
  }

  @Test
  @DisplayName("bounds that exclude or need each other are refused, with both names")
  void bounds() {
    assertThatThrownBy(() -> builder().maximumSize(5).maximumWeight(6).weigher((k, v) -> 1).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("maximumSize 5")
        .hasMessageContaining("maximumWeight 6");
    assertThatThrownBy(() -> builder().maximumWeight(6).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("maximumWeight 6")
        .hasMessageContaining("weigher");
    assertThatThrownBy(() -> builder().weigher((k, v) -> 1).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("weigher")
        .hasMessageContaining("maximumWeight");
    assertThatThrownBy(() -> builder().weigher((k, v) -> 1).maximumSize(3).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("weigher");
  }

  @Test
  @DisplayName("variable expiry excludes the fixed ones; the fixed ones go together")
  void expiries() {
    Expiry<String, String> expiry = (k, v, now) -> 1;
    assertThatThrownBy(
            () -> builder().expireAfter(expiry).expireAfterWrite(Duration.ofDays(1)).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("expireAfter")
        .hasMessageContaining("expireAfterWrite");
    assertThatThrownBy(
            () -> builder().expireAfterAccess(Duration.ofDays(1)).expireAfter(expiry).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("expireAfterAccess");
    stage.build(
        builder().expireAfterAccess(Duration.ofDays(1)).expireAfterWrite(Duration.ofDays(1)));
  }

  @ParameterizedTest
  @ValueSource(
      doubles = {
        -0.0001,
        1.0001,
        Double.NaN,
        Double.NEGATIVE_INFINITY,
        Double.POSITIVE_INFINITY,
        -Double.MIN_VALUE
      })
  @DisplayName("E3: a jitter outside 0 to 1 is refused with its value")
  void badJitter(double share) {
    assertThatThrownBy(() -> builder().expireAfterWrite(Duration.ofDays(1)).expiryJitter(share))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("expiryJitter")
        .hasMessageContaining(String.valueOf(share));
  }

  @Test
  @DisplayName("null collaborators are refused by name")
  void nullCollaborators() {
    Map<String, UnaryOperator<CacheBuilder<String, String>>> nulls = new LinkedHashMap<>();
    nulls.put("weigher", b -> b.weigher(null));
    nulls.put("expir", b -> b.expireAfter(null));
    nulls.put("executor", b -> b.executor(null));
    nulls.put("ticker", b -> b.ticker(null));
    nulls.put("removalListener", b -> b.removalListener(null));
    nulls.put("name", b -> b.name(null));
    nulls.forEach(
        (name, call) ->
            assertThatThrownBy(() -> call.apply(builder()))
                .as(name)
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining(name));
  }

  @Test
  @DisplayName("every option returns the same builder")
  void fluent() {
    CacheBuilder<String, String> builder = builder();
    durations().forEach((name, o) -> assertThat(o.apply(builder, MAX)).as(name).isSameAs(builder));
    assertThat(builder.maximumSize(1)).isSameAs(builder);
    assertThat(builder.maximumWeight(1)).isSameAs(builder);
    assertThat(builder.weigher((k, v) -> 1)).isSameAs(builder);
    assertThat(builder.expireAfter((k, v, now) -> 1)).isSameAs(builder);
    assertThat(builder.expiryJitter(0)).isSameAs(builder);
    assertThat(builder.executor(Runnable::run)).isSameAs(builder);
    assertThat(builder.ticker(Ticker.system())).isSameAs(builder);
    assertThat(builder.removalListener((k, v, cause) -> {})).isSameAs(builder);
    assertThat(builder.recordStats()).isSameAs(builder);
    assertThat(builder.name("n")).isSameAs(builder);
  }

  @Test
  @DisplayName("an option given twice: the last one counts")
  void lastCounts() {
    Cache<String, String> cache = stage.build(builder().maximumSize(1).maximumSize(9));
    assertThat(cache.policy().maximum()).isEqualTo(9);
  }

  @Test
  @DisplayName("one builder builds independent caches")
  void reuse() {
    CacheBuilder<String, String> builder = builder().maximumSize(10);
    Cache<String, String> first = stage.build(builder);
    Cache<String, String> second = stage.build(builder);
    first.put("a", "1");
    assertThat(second.getIfPresent("a")).isNull();
    first.close();
    assertThat(second.get("a")).isEqualTo("v-a");
    builder.maximumSize(3);
    assertThat(second.policy().maximum()).isEqualTo(10);
  }

  @Test
  @DisplayName("without a bound the maximum is the largest number, and nothing is evicted")
  void unbounded() {
    Cache<String, String> cache = stage.build(builder());
    for (int i = 0; i < 5_000; i++) {
      cache.get("k" + i);
    }
    cache.cleanUp();
    assertThat(cache.policy().maximum()).isEqualTo(Long.MAX_VALUE);
    assertThat(cache.estimatedSize()).isEqualTo(5_000);
    assertThat(cache.stats().evictionCount()).isZero();
  }

  @Test
  @DisplayName("an unknown or malformed URL fails the build with the URL, without its password")
  void badUrl() {
    Codec<String> text = Codec.utf8();
    assertThatThrownBy(() -> Cache.over("nosuch://me:secret@host/x", text, text).build())
        .isInstanceOf(CacheException.class)
        .hasMessageContaining("nosuch")
        .message()
        .doesNotContain("secret");
    for (String malformed : new String[] {"", "no scheme", ":", "memory", "a b:c", "%%%"}) {
      assertThatThrownBy(() -> Cache.over(malformed, text, text).build())
          .as(malformed)
          .isInstanceOf(CacheException.class)
          .hasMessageMatching("(?s).{10,}");
    }
  }
}
