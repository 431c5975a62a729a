package io.latchkey.bench.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.bench.console.FailedRunException;
import io.latchkey.bench.keys.TraceFile;
import io.latchkey.bench.keys.TraceFormat;
import io.latchkey.bench.peers.Implementation;
import io.latchkey.storage.MemoryStorage;
import io.latchkey.storage.WritableStorage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReadPhaseTest {
  private static final int OBJECTS = 3;
  private static final int BYTES = 10;
  private static final long LONG = Duration.ofHours(1).toNanos();

  @TempDir Path directory;
  private final WritableStorage<Long, VersionedObject> store = MemoryStorage.create();
  private final Versions versions = new Versions(new long[] {1, 1, 1});
  private Workload workload;

  @BeforeEach
  void fill() throws Exception {
    for (long id = 0; id < OBJECTS; id++) {
      store.store(id, VersionedObject.of(id, 1, BYTES));
    }
    workload = trace("0\n1\n0\n2\n0\n");
  }

  @Test
  @DisplayName("a trace is read to its end, each read once, whatever the number of threads")
  void readsAll() {
    try (Contender contender = new Contender(Implementation.CHM_FUTURE, store, OBJECTS)) {
      PhaseResult result = run(contender, settings(4, 0));
      assertThat(result.reads()).isEqualTo(5);
      assertThat(result.loads()).isEqualTo(3);
      assertThat(result.updates()).isZero();
      assertThat(result.stale()).isZero();
      assertThat(result.throughput()).isPositive();
    }
  }

  @Test
  @DisplayName("every read of a version older than the acknowledged one is counted")
  void countsStaleReads() {
    versions.begin(0);
    versions.acknowledge(0);
    try (Contender contender = new Contender(Implementation.DIRECT, store, OBJECTS)) {
      assertThat(run(contender, settings(1, 0)).stale()).isEqualTo(3);
    }
  }

  @Test
  @DisplayName("a version that is not acknowledged yet may be read or not")
  void unacknowledgedIsNotStale() {
    versions.begin(0);
    try (Contender contender = new Contender(Implementation.DIRECT, store, OBJECTS)) {
      assertThat(run(contender, settings(1, 0)).stale()).isZero();
    }
  }

  @Test
  @DisplayName("what was written through another cache is read fresh in the next phase")
  void catchesUp() {
    Workload endless = new ZipfWorkload(OBJECTS, 0, 1, 7);
    try (Contender one = new Contender(Implementation.CHM_FUTURE, store, 10);
        Contender other = new Contender(Implementation.CHM_FUTURE, store, 10)) {
      for (long id = 0; id < OBJECTS; id++) {
        one.cache().get(id);
        other.cache().get(id);
      }
      int object = 1;
      other.beginPhase(versions);
      other.cache().put((long) object, VersionedObject.of(object, versions.begin(object), BYTES));
      versions.acknowledge(object);
      other.endPhase(versions);

      PhaseResult result =
          ReadPhase.run(one, endless, 1, versions, settings(1, 0), 20_000_000, nanos -> {});
      assertThat(result.reads()).isGreaterThan(100);
      assertThat(result.stale()).isZero();
      assertThat(result.loads()).as("only the written object").isEqualTo(1);
    }
  }

  @Test
  @DisplayName("the writer's updates reach the store and the cache")
  void writes() throws Exception {
    Workload endless = new ZipfWorkload(OBJECTS, 0, 1, 7);
    try (Contender contender = new Contender(Implementation.CHM_FUTURE, store, OBJECTS)) {
      PhaseResult result =
          ReadPhase.run(
              contender, endless, 1, versions, settings(1, 1_000_000), 20_000_000, nanos -> {});
      assertThat(result.updates()).isPositive();
      assertThat(result.stale()).isZero();
      long stored = 0;
      for (long id = 0; id < OBJECTS; id++) {
        VersionedObject object = store.load(id);
        assertThat(contender.cache().get(id).version()).isEqualTo(object.version());
        stored += object.version() - 1;
      }
      assertThat(stored).isEqualTo(result.updates());
    }
  }

  @Test
  @DisplayName("a missing object and a wrong one end the run with a message")
  void refusesWrongObjects() throws Exception {
    store.store(2L, VersionedObject.of(1, 1, BYTES));
    try (Contender contender = new Contender(Implementation.DIRECT, store, OBJECTS)) {
      assertThatThrownBy(() -> run(contender, settings(1, 0)))
          .isInstanceOf(FailedRunException.class)
          .hasMessageContaining("object 2 came as object 1");
      store.delete(2L);
      assertThatThrownBy(() -> run(contender, settings(2, 0)))
          .isInstanceOf(FailedRunException.class)
          .hasMessageContaining("object 2 is missing");
    }
  }

  @Test
  @DisplayName("a stampede counts the loads of the store: all callers without a cache, one with")
  void stampede() {
    DemoSettings settings = settings(1, 0);
    try (Contender direct = new Contender(Implementation.DIRECT, store, OBJECTS);
        Contender cached = new Contender(Implementation.CHM_FUTURE, store, OBJECTS)) {
      cached.cache().get(1L);
      assertThat(Stampede.run(direct, 1, versions, settings).loads()).isEqualTo(settings.callers());
      StampedeResult result = Stampede.run(cached, 1, versions, settings);
      assertThat(result.loads()).isEqualTo(1);
      assertThat(result.lastNanos())
          .isGreaterThanOrEqualTo(settings.stampedeLatency().toNanos())
          .isGreaterThan(result.wakeNanos());
      assertThat(result.stale()).isZero();
    }
  }

  @Test
  @DisplayName("a stampede counts the callers that got an old version")
  void stampedeCountsStale() {
    versions.begin(1);
    versions.acknowledge(1);
    DemoSettings settings = settings(1, 0);
    try (Contender direct = new Contender(Implementation.DIRECT, store, OBJECTS)) {
      assertThat(Stampede.run(direct, 1, versions, settings).stale()).isEqualTo(settings.callers());
    }
  }

  @Test
  @DisplayName("a storage that fails in a stampede ends the run with its message")
  void stampedeFails() throws Exception {
    store.delete(1L);
    try (Contender direct = new Contender(Implementation.DIRECT, store, OBJECTS)) {
      assertThatThrownBy(() -> Stampede.run(direct, 1, versions, settings(1, 0)))
          .isInstanceOf(FailedRunException.class)
          .hasMessageContaining("object 1");
    }
  }

  private PhaseResult run(Contender contender, DemoSettings settings) {
    return ReadPhase.run(contender, workload, 1, versions, settings, LONG, nanos -> {});
  }

  private Workload trace(String lirs) throws IOException {
    Path file = Files.writeString(directory.resolve("t"), lirs);
    return new TraceWorkload(TraceFile.read(file, TraceFormat.LIRS), "t", 1);
  }

  private static DemoSettings settings(int threads, int writesPerSecond) {
    return new DemoSettings(
        OBJECTS,
        BYTES,
        OBJECTS,
        threads,
        Duration.ofSeconds(1),
        writesPerSecond,
        0,
        1,
        40,
        Duration.ofMillis(5),
        null,
        null,
        null,
        "");
  }
}
