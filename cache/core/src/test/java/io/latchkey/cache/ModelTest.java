package io.latchkey.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.cache.testing.ManualTicker;
import io.latchkey.cache.testing.Stage;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random operations, each compared with what a plain map says it must give. One thread and an
 * executor that runs in place, so that every answer is known. To repeat a run give its seed in the
 * system property {@code latchkey.seed}.
 */
class ModelTest {
  private static final int OPERATIONS = 12_000;
  private static final Duration LIFE = Duration.ofNanos(60);
  private static final Duration SHORT = Duration.ofNanos(25);

  @RegisterExtension final Stage stage = new Stage();

  private static Arguments model(
      String name, ModelCache.Rules rules, UnaryOperator<CacheBuilder<Integer, String>> options) {
    return Arguments.of(name, rules, options);
  }

  private static Stream<Arguments> models() {
    ModelCache.Rules plain = new ModelCache.Rules();
    return Stream.of(
        model("plain", plain, b -> b),
        model("time to live", plain.live(60), b -> b.expireAfterWrite(LIFE)),
        model("time to idle", plain.idle(60), b -> b.expireAfterAccess(LIFE)),
        model(
            "time to live and to idle",
            plain.live(60).idle(25),
            b -> b.expireAfterWrite(LIFE).expireAfterAccess(SHORT)),
        model(
            "variable time to live",
            plain.live(60),
            b -> b.expireAfter((key, value, now) -> LIFE.toNanos())),
        model("cached absence", plain.absent(25), b -> b.cacheAbsentFor(SHORT)),
        model(
            "time to live and cached failures",
            plain.live(60).failed(25),
            b -> b.expireAfterWrite(LIFE).cacheFailuresFor(SHORT)),
        model(
            "stale if error",
            plain.live(60).stale(25),
            b -> b.expireAfterWrite(LIFE).staleIfError(SHORT)),
        model("bound", plain.bound(), b -> b.maximumSize(12)),
        model("bound of one", plain.bound(), b -> b.maximumSize(1)),
        model("zero bound", plain.bound(), b -> b.maximumSize(0)),
        model(
            "weights",
            plain.bound(),
            b -> b.maximumWeight(40).weigher((key, value) -> value.length())),
        model(
            "bound and time to live",
            plain.bound().live(60),
            b -> b.maximumSize(12).expireAfterWrite(LIFE)),
        model(
            "weights and variable time to live",
            plain.bound().live(60),
            b ->
                b.maximumWeight(40)
                    .weigher((key, value) -> value.length())
                    .expireAfter((key, value, now) -> LIFE.toNanos())),
        model(
            "bound, time to live and to idle",
            plain.bound().live(60).idle(25),
            b -> b.maximumSize(12).expireAfterWrite(LIFE).expireAfterAccess(SHORT)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("models")
  @DisplayName("random operations give what a plain map gives")
  void randomOperations(
      String name, ModelCache.Rules rules, UnaryOperator<CacheBuilder<Integer, String>> options) {
    long seed = Long.getLong("latchkey.seed", System.nanoTime());
    System.out.println("ModelTest, " + name + ": latchkey.seed=" + seed);
    Random random = new Random(seed);
    ManualTicker ticker = new ManualTicker(random.nextLong());
    ModelCache model = new ModelCache(rules, ticker);
    Cache<Integer, String> cache =
        stage.build(
            options
                .apply(Cache.over(model.storage()))
                .ticker(ticker)
                .executor(Runnable::run)
                .recordStats()
                .removalListener((key, value, cause) -> model.left(value)));
    model.drives(cache);
    for (int i = 0; i < OPERATIONS; i++) {
      String operation = model.step(random);
      if (i % 64 == 0) {
        model.compare("seed " + seed + ", operation " + i + ": " + operation);
      }
    }
    cache.invalidateAll();
    cache.cleanUp();
    assertThat(cache.estimatedSize()).isZero();
    assertThat(cache.asMap()).isEqualTo(Map.of());
    if (cache.policy().maximum() > 0) {
      assertThat(model.told()).as("seed %s: told once of each object", seed).isEqualTo(List.of());
    }
  }
}
