package io.latchkey.storage.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.storage.testkit.ObservedChild;
import io.latchkey.storage.testkit.Troubles;
import io.lettuce.core.KillArgs;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Two processes with caches over one Redis, a third party that changes objects, and trouble. One
 * process is told what it has read, the other all changes. Longer with {@code
 * -Dlatchkey.soak=SECONDS}: by default each trouble comes once.
 */
@Timeout(3600)
class CoherenceTest {
  private static final int CHANGES = 30;

  /** The heartbeat notices a silent server in a second; the rest is for slow machines. */
  private static final Duration BOUND = Duration.ofSeconds(60);

  private final List<ObservedChild> children = new ArrayList<>();
  private RedisServer server;

  @BeforeEach
  void begin() throws Exception {
    // What was acknowledged, or only seen, is there again after a kill.
    server = RedisServer.start("--appendonly", "yes", "--appendfsync", "always");
    for (String key : CoherenceKeys.keys()) {
      server.commands().set(CoherenceKeys.PREFIX + key, "0");
    }
    for (String feed : List.of("default", "broadcast")) {
      children.add(
          ObservedChild.start(BOUND, CoherenceChild.class, Integer.toString(server.port()), feed));
    }
    for (ObservedChild child : children) {
      child.await("it is ready", () -> child.heard("ready") == 1);
      child.await("its feed is whole", () -> child.heard("whole") > child.heard("lost"));
    }
  }

  @AfterEach
  void end() throws Exception {
    children.forEach(ObservedChild::close);
    server.close();
  }

  private void finish() throws Exception {
    for (ObservedChild child : children) {
      child.finish();
      System.out.println("CoherenceTest: child: " + child.said());
    }
  }

  /** Changes an object by redis-cli where that is there; returns who did it. */
  private String change(String key, long version) throws Exception {
    String name = CoherenceKeys.PREFIX + key;
    try {
      Process cli =
          new ProcessBuilder(
                  "redis-cli",
                  "-p",
                  Integer.toString(server.port()),
                  "set",
                  name,
                  Long.toString(version))
              .redirectErrorStream(true)
              .start();
      assertThat(new String(cli.getInputStream().readAllBytes(), UTF_8)).isEqualTo("OK\n");
      return "redis-cli";
    } catch (IOException e) {
      server.commands().set(name, Long.toString(version));
      return "a connection";
    }
  }

  @Test
  @DisplayName("F19: what a third party changes is served by the caches of all processes soon")
  void quiet() throws Exception {
    List<Long> micros = new ArrayList<>();
    String party = "";
    for (int i = 0; i < CHANGES; i++) {
      String key = CoherenceKeys.key(i % 5);
      int version = i / 5 + 1;
      for (ObservedChild child : children) {
        child.tell("await " + key + " " + version);
      }
      for (ObservedChild child : children) {
        child.await("it watches", () -> child.heard("watching " + key + " false") == version);
      }
      long start = System.nanoTime();
      party = change(key, version);
      for (ObservedChild child : children) {
        child.await("it serves the change", () -> child.heard("served " + key + " " + version) > 0);
        micros.add((System.nanoTime() - start) / 1_000);
      }
    }
    micros.sort(null);
    System.out.printf(
        "CoherenceTest: %d changes by %s, served after median %d us, 90 %% %d us, longest %d us%n",
        CHANGES,
        party,
        micros.get(micros.size() / 2),
        micros.get(micros.size() * 9 / 10),
        micros.get(micros.size() - 1));
    finish();
  }

  private void cut() {
    assertThat(server.commands().clientKill(KillArgs.Builder.skipme())).isPositive();
  }

  private void stop() throws Exception {
    int[] before = losses();
    server.signal("TERM");
    awaitLosses(before);
    server.kill();
    server.restart();
  }

  private void freeze() throws Exception {
    int[] before = losses();
    server.signal("STOP");
    try {
      awaitLosses(before);
    } finally {
      server.signal("CONT");
    }
  }

  private void kill() throws Exception {
    int[] before = losses();
    server.kill();
    awaitLosses(before);
    server.restart();
  }

  private int[] losses() {
    return children.stream().mapToInt(child -> child.heard("lost")).toArray();
  }

  private void awaitLosses(int[] before) throws Exception {
    for (int i = 0; i < before.length; i++) {
      ObservedChild child = children.get(i);
      int known = before[i];
      child.await("it has lost its feed", () -> child.heard("lost") > known);
    }
  }

  @Test
  @DisplayName("F19: no cache is older than its feed said, nothing hangs, and all converge")
  void trouble() throws Exception {
    long seed = Long.getLong("latchkey.seed", System.nanoTime());
    System.out.println("CoherenceTest: latchkey.seed=" + seed);
    try (CoherenceWriters writers = new CoherenceWriters(server.port())) {
      load(writers, seed);
      new Troubles("CoherenceTest", () -> awaitMarker(writers))
          .then("connections cut", this::cut)
          .then("server stopped and started", this::stop)
          .once("load doubled", () -> load(writers, seed + 10))
          .then("server frozen", this::freeze)
          .then("server killed", this::kill)
          .then("connections cut again", this::cut)
          .run();
      writers.stop();
      awaitMarker(writers);
      System.out.printf(
          "CoherenceTest: %d writes acknowledged, %d failures of the writers%n",
          writers.writes.get(), writers.failures.get());
      assertThat(writers.writes.get()).isPositive();
      assertConverged(writers);
    }
    finish();
  }

  private void load(CoherenceWriters writers, long seed) throws Exception {
    writers.start(2, seed);
    for (ObservedChild child : children) {
      child.tell("readers " + seed);
      child.tell("readers " + (seed + 1));
    }
  }

  /** Until all caches vouch for what is acknowledged now. */
  private void awaitMarker(CoherenceWriters writers) throws Exception {
    long marker = writers.nextMarker();
    for (ObservedChild child : children) {
      child.await("it vouches for marker " + marker, () -> child.number("floor") >= marker);
    }
  }

  private void assertConverged(CoherenceWriters writers) throws Exception {
    Map<String, String> objects = new TreeMap<>();
    for (int i = 0; i < CoherenceKeys.COUNT; i++) {
      String key = CoherenceKeys.key(i);
      String value = server.commands().get(CoherenceKeys.PREFIX + key);
      assertThat(Long.parseLong(value))
          .as("an acknowledged write of " + key)
          .isGreaterThanOrEqualTo(writers.version(i));
      objects.put(key, value);
    }
    for (ObservedChild child : children) {
      child.tell("dump");
      child.await("it has told its contents", () -> child.value("contents") != null);
      assertThat(child.value("contents")).isEqualTo(objects.toString());
    }
  }
}
