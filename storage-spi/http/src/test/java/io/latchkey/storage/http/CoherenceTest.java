package io.latchkey.storage.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.storage.testkit.ObservedChild;
import io.latchkey.storage.testkit.Troubles;
import java.nio.file.Path;
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
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two processes with caches over a third one that serves a file, each over a line that can be cut.
 * Longer with {@code -Dlatchkey.soak=SECONDS}: by default each trouble comes once.
 */
@Timeout(3600)
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "there is no SIGSTOP")
class CoherenceTest {
  private static final int CHANGES = 30;

  /** The heartbeat notices a silent server in a second; the rest is for slow machines. */
  private static final Duration BOUND = Duration.ofSeconds(60);

  @TempDir private Path folder;
  private final List<CutLine> lines = new ArrayList<>();
  private final List<ObservedChild> children = new ArrayList<>();
  private ObservedChild server;
  private int port;

  @BeforeEach
  void begin() throws Exception {
    startServer();
    for (String own : List.of("a", "b")) {
      String other = own.equals("a") ? "b" : "a";
      CutLine line = new CutLine(port);
      lines.add(line);
      children.add(
          ObservedChild.start(
              BOUND, CoherenceChild.class, own, other, Integer.toString(line.port())));
    }
    for (ObservedChild child : children) {
      child.await("it is ready", () -> child.heard("ready") == 1);
      awaitWhole(child);
    }
  }

  private void startServer() throws Exception {
    server =
        ObservedChild.start(
            BOUND,
            CoherenceServer.class,
            folder.resolve("objects.db").toString(),
            Integer.toString(port));
    ObservedChild started = server;
    started.await("it serves", () -> started.number("port") > 0);
    port = (int) started.number("port");
  }

  @AfterEach
  void end() throws Exception {
    children.forEach(ObservedChild::close);
    server.close();
    for (CutLine line : lines) {
      line.close();
    }
  }

  private static int wholes(ObservedChild child) {
    return child.heard("whole anew") + child.heard("whole again");
  }

  private static void awaitWhole(ObservedChild child) throws InterruptedException {
    child.await("its feed is whole", () -> wholes(child) > child.heard("lost"));
  }

  private void finish() throws Exception {
    for (ObservedChild child : children) {
      child.finish();
      System.out.println("CoherenceTest: child: " + child.value("summary"));
    }
  }

  @Test
  @DisplayName("F19: changes through one of two processes are served by the other soon")
  void quiet() throws Exception {
    List<Long> micros = new ArrayList<>();
    for (int i = 0; i < CHANGES; i++) {
      ObservedChild writer = children.get(i % 2);
      ObservedChild reader = children.get(1 - i % 2);
      String key = "shared/" + i % 5;
      String change = key + " " + i;
      reader.tell("await " + change);
      reader.await("it watches", () -> reader.heard("watching " + change + " false") == 1);
      long start = System.nanoTime();
      writer.tell("put " + change);
      reader.await("it serves the change", () -> reader.heard("served " + change) == 1);
      micros.add((System.nanoTime() - start) / 1_000);
      writer.await("it has put", () -> writer.heard("put " + change) == 1);
    }
    micros.sort(null);
    System.out.printf(
        "CoherenceTest: %d changes by the other, served after median %d us, longest %d us%n",
        CHANGES, micros.get(CHANGES / 2), micros.get(CHANGES - 1));
    finish();
  }

  /** So short that the server still has the events; the feed goes on where it was. */
  private void cutOne() throws Exception {
    ObservedChild child = children.get(0);
    int lost = child.heard("lost");
    lines.get(0).cut();
    child.await("it has lost its feed", () -> child.heard("lost") > lost);
    awaitWhole(child);
  }

  /** So long that the other has made more changes than the server keeps: a gap. */
  private void cutForLong() throws Exception {
    ObservedChild cut = children.get(0);
    ObservedChild busy = children.get(1);
    int anew = cut.heard("whole anew");
    lines.get(0).refuse(true);
    lines.get(0).cut();
    long enough = busy.number("marked") + 15; // each after ten writes
    busy.await("it has written a lot", () -> busy.number("marked") >= enough);
    lines.get(0).refuse(false);
    cut.await("it has noticed the gap", () -> cut.heard("whole anew") > anew);
  }

  private void restart() throws Exception {
    int[] before = losses();
    server.finish(); // its shutdown
    awaitLosses(before);
    startServer();
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
    startServer();
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
    for (ObservedChild child : children) {
      child.tell("write");
    }
    read(seed);
    new Troubles("CoherenceTest", this::awaitMarkers)
        .then("a line cut", this::cutOne)
        .then("a line cut for long", this::cutForLong)
        .then("server stopped and started", this::restart)
        .once("load doubled", () -> read(seed + 10))
        .then("server frozen", this::freeze)
        .then("server killed", this::kill)
        .run();
    for (ObservedChild child : children) {
      child.tell("stop");
    }
    for (ObservedChild child : children) {
      child.await("it has stopped", () -> child.heard("stopped") == 1);
    }
    assertConverged();
    finish();
  }

  private void read(long seed) throws Exception {
    for (ObservedChild child : children) {
      child.tell("read " + seed);
      child.tell("read " + (seed + 1));
    }
  }

  /** Until each vouches for what the other has been acknowledged by now. */
  private void awaitMarkers() throws Exception {
    for (int i = 0; i < 2; i++) {
      ObservedChild writer = children.get(i);
      ObservedChild reader = children.get(1 - i);
      long marker = writer.number("marked") + 2; // the next one may be under way
      reader.await("it vouches for marker " + marker, () -> reader.number("floor") >= marker);
    }
  }

  private void assertConverged() throws Exception {
    for (ObservedChild child : children) {
      child.tell("dump");
    }
    for (int i = 0; i < 2; i++) {
      ObservedChild writer = children.get(i);
      ObservedChild reader = children.get(1 - i);
      for (ObservedChild child : children) {
        child.await("it has told its contents", () -> child.value("contents other") != null);
      }
      assertThat(reader.value("contents other")).isEqualTo(writer.value("contents own"));
      long[] acknowledged = CoherenceKeys.versions(writer.value("acknowledged"));
      Map<String, Long> found = contents(reader.value("contents other"));
      for (int key = 0; key < CoherenceKeys.COUNT; key++) {
        String name = CoherenceKeys.key(i == 0 ? "a" : "b", key);
        // A write whose outcome was unknown may have been made.
        assertThat(found.getOrDefault(name, 0L))
            .as(name)
            .isBetween(acknowledged[key], acknowledged[key] + 1);
      }
    }
  }

  /** Reads what a map prints. */
  private static Map<String, Long> contents(String printed) {
    Map<String, Long> found = new TreeMap<>();
    for (String entry : printed.substring(1, printed.length() - 1).split(", ")) {
      int equals = entry.indexOf('=');
      if (equals > 0) {
        found.put(entry.substring(0, equals), Long.parseLong(entry.substring(equals + 1)));
      }
    }
    return found;
  }
}
