package io.latchkey.cache;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.testing.ConcurrentMapTestSuiteBuilder;
import com.google.common.collect.testing.TestStringMapGenerator;
import com.google.common.collect.testing.features.CollectionFeature;
import com.google.common.collect.testing.features.CollectionSize;
import com.google.common.collect.testing.features.MapFeature;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.concurrent.ConcurrentMap;
import java.util.function.UnaryOperator;
import junit.framework.TestFailure;
import junit.framework.TestResult;
import junit.framework.TestSuite;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** {@code asMap} passes Guava's conformance suite of concurrent maps, whatever the options. */
class MapSuiteTest {
  /** How many tests the suite of a concurrent map has; fewer would mean that some did not run. */
  private static final int TESTS = 932;

  @Test
  @DisplayName("asMap passes Guava's suite")
  void plain() {
    pass("plain", builder -> builder);
  }

  @Test
  @DisplayName("asMap passes Guava's suite with a bound, a listener and counts")
  void bounded() {
    pass(
        "bounded",
        builder -> builder.maximumSize(1_000).recordStats().removalListener((k, v, cause) -> {}));
  }

  @Test
  @DisplayName("asMap passes Guava's suite with weights and every kind of expiry")
  void weighed() {
    pass(
        "weighed",
        builder ->
            builder
                .maximumWeight(1_000)
                .weigher((k, v) -> 1)
                .expireAfterWrite(Duration.ofDays(1))
                .expireAfterAccess(Duration.ofDays(1))
                .refreshAfterWrite(Duration.ofDays(1))
                .cacheAbsentFor(Duration.ofDays(1))
                .ticker(Ticker.system()));
  }

  private static void pass(String name, UnaryOperator<CacheBuilder<String, String>> options) {
    TestResult result = new TestResult();
    suite(name, options).run(result);
    assertThat(Collections.list(result.failures())).extracting(MapSuiteTest::text).isEmpty();
    assertThat(Collections.list(result.errors())).extracting(MapSuiteTest::text).isEmpty();
    assertThat(result.runCount()).as("tests that ran").isEqualTo(TESTS);
  }

  private static String text(TestFailure failure) {
    return failure.failedTest() + "\n" + failure.trace();
  }

  private static TestSuite suite(String name, UnaryOperator<CacheBuilder<String, String>> options) {
    return ConcurrentMapTestSuiteBuilder.using(
            new TestStringMapGenerator() {
              @Override
              protected Map<String, String> create(Map.Entry<String, String>[] entries) {
                CacheBuilder<String, String> builder = Cache.over(key -> "loaded");
                ConcurrentMap<String, String> map = options.apply(builder).build().asMap();
                for (Map.Entry<String, String> entry : entries) {
                  map.put(entry.getKey(), entry.getValue());
                }
                return map;
              }
            })
        .named(name)
        .withFeatures(
            MapFeature.GENERAL_PURPOSE,
            CollectionFeature.SUPPORTS_ITERATOR_REMOVE,
            CollectionSize.ANY)
        .createTestSuite();
  }
}
