package io.latchkey.storage.testkit;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.storage.FeedListener;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

class FaultyStorageTest {
  private final IOException reset = new IOException("reset by peer");

  private final FaultyStorage<String, String> storage = FaultyStorage.create();

  private static <T> FutureTask<T> start(Callable<T> call) {
    FutureTask<T> task = new FutureTask<>(call);
    Thread thread = new Thread(task, "caller");
    thread.setDaemon(true);
    thread.start();
    return task;
  }

  @Test
  void theExampleOfTheDocumentationRuns() throws Exception {
    FaultyStorage<String, String> storage = FaultyStorage.create();
    storage.store("k", "v");
    storage.loads().onCall(2, Fault.fail(new IOException("reset by peer")));
    storage.load("k"); // the second one fails, the third one works again
    assertThatThrownBy(() -> storage.load("k")).hasMessage("reset by peer");
    assertThat(storage.load("k")).isEqualTo("v");
    assertThat(storage.loads().calls()).isEqualTo(3);
  }

  @Test
  void theNumberGoesBeforeTheKeyAndTheKeyBeforeTheRest() throws Exception {
    storage.loads().onEvery(Fault.fail(new IOException("every")));
    storage.loads().onKey("k", Fault.fail(new IOException("key")));
    storage.loads().onCall(2, Fault.fail(new StackOverflowError("number")));
    storage.loads().onNext(Fault.none());
    assertThat(storage.load("k")).isNull();
    assertThatThrownBy(() -> storage.load("k")).hasMessage("number");
    assertThatThrownBy(() -> storage.load("k")).hasMessage("key");
    assertThatThrownBy(() -> storage.load("l")).hasMessage("every");
    storage.loads().clear();
    assertThat(storage.load("k")).isNull();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> storage.loads().onCall(5, Fault.none()))
        .withMessageContaining("5 were made");
  }

  @Test
  void aDelayedCallIsMadeLater() throws Exception {
    storage.store("k", "v");
    storage.loads().onNext(Fault.delay(Duration.ofMillis(5)));
    long start = System.nanoTime();
    assertThat(storage.load("k")).isEqualTo("v");
    assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(5_000_000);
    storage.loads().onNext(Fault.delay(Duration.ofDays(1)));
    FutureTask<String> delayed = start(() -> storage.load("k"));
    awaitCalls(2);
    storage.releaseHangs();
    assertThat(delayed.get(30, SECONDS)).isEqualTo("v");
  }

  private void awaitCalls(int loads) {
    while (storage.loads().calls() < loads) {
      Thread.onSpinWait();
    }
  }

  @Test
  void aHangingCallHangsUntilItIsReleasedOrTheStorageClosed() throws Exception {
    storage.store("k", "v");
    storage.loads().onEvery(Fault.hang());
    FutureTask<String> first = start(() -> storage.load("k"));
    awaitCalls(1);
    assertThat(first.isDone()).isFalse();
    storage.releaseHangs();
    assertThat(first.get(30, SECONDS)).isEqualTo("v");
    FutureTask<String> second = start(() -> storage.load("k"));
    awaitCalls(2);
    storage.close();
    // The call is made then, on the storage below, which is closed by now or closing.
    try {
      assertThat(second.get(30, SECONDS)).isEqualTo("v");
    } catch (ExecutionException e) {
      assertThat(e).hasMessageContaining("closed");
    }
  }

  @Test
  void anInterruptEndsAHang() {
    storage.loads().onNext(Fault.hang());
    Thread.currentThread().interrupt();
    assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> storage.load("k"));
  }

  @Test
  void writesFailBeforeOrAfterTheirEffect() throws Exception {
    storage.writes().onCall(1, Fault.fail(reset));
    storage.writes().onCall(2, Fault.failAfter(reset));
    assertThatThrownBy(() -> storage.store("k", "1")).isSameAs(reset);
    assertThat(storage.load("k")).isNull();
    assertThatThrownBy(() -> storage.store("k", "2")).isSameAs(reset);
    assertThat(storage.load("k")).isEqualTo("2");
    storage.writes().onKey("l", Fault.fail(reset));
    assertThatThrownBy(() -> storage.storeAll(Map.of("k", "3", "l", "3"))).isSameAs(reset);
    assertThat(storage.load("k")).isEqualTo("2");
    storage.delete("k");
    assertThat(storage.writes().calls()).isEqualTo(4);
  }

  private Map<String, String> bulk(Fault<Map<String, String>> fault) throws Exception {
    storage.bulkLoads().onNext(fault);
    return storage.loadAll(Set.of("a", "b"));
  }

  @Test
  void bulkResultsAreSpoilt() throws Exception {
    storage.storeAll(Map.of("a", "1", "b", "2"));
    assertThat(bulk(Fault.none())).containsOnlyKeys("a", "b");
    assertThat(bulk(Fault.omit(List.of("a")))).containsOnlyKeys("b");
    assertThat(bulk(Fault.add(Map.of("x", "9")))).containsOnlyKeys("a", "b", "x");
    assertThat(bulk(Fault.nullMap())).isNull();
    assertThat(bulk(Fault.nullValues(List.of("a", "x"))))
        .containsOnlyKeys("a", "b", "x")
        .containsEntry("a", null);
    assertThat(bulk(Fault.change(found -> Map.of()))).isEmpty();
    assertThatThrownBy(() -> bulk(Fault.fail(reset))).isSameAs(reset);
    assertThat(storage.bulkLoads().calls()).isEqualTo(7);
    assertThat(storage.loads().calls()).isZero();
  }

  @Test
  void aRepeatingMapListsEverythingTwice() throws Exception {
    storage.storeAll(Map.of("a", "1", "b", "2"));
    Map<String, String> found = bulk(Fault.repeat());
    assertThat(found.size()).isEqualTo(4);
    assertThat(new ArrayList<>(found.keySet())).containsExactlyInAnyOrder("a", "b", "a", "b");
    assertThat(found.get("b")).isEqualTo("2");
  }

  @Test
  void aBreakingMapThrowsHalfWay() throws Exception {
    storage.storeAll(Map.of("a", "1", "b", "2"));
    Map<String, String> read = new HashMap<>();
    Map<String, String> found = bulk(Fault.breakAfter(1, reset));
    assertThat(found.size()).isEqualTo(2);
    assertThatThrownBy(() -> found.forEach(read::put)).isSameAs(reset);
    assertThat(read).hasSize(1);
    Map<String, String> atTheEnd = bulk(Fault.breakAfter(2, reset));
    assertThatThrownBy(() -> new LinkedHashMap<>(atTheEnd)).isSameAs(reset);
  }

  private static final class Events implements FeedListener<String> {
    final List<String> told = new ArrayList<>();
    long first;

    @Override
    public void changed(long epoch, long sequence, Collection<? extends String> keys) {
      told.add((sequence - first) + ":" + String.join(",", keys));
    }

    @Override
    public void changedAll(long epoch, long sequence) {
      told.add((sequence - first) + ":all");
    }

    @Override
    public void lost(String reason) {
      told.add("lost " + reason);
    }

    @Override
    public void whole(long epoch, long sequence) {
      if (told.isEmpty()) {
        first = sequence;
      }
      told.add("whole " + (sequence - first));
    }
  }

  @Test
  void eventsAreDroppedAndRepeated() throws Exception {
    Events events = new Events();
    storage.watch(events);
    storage.store("a", "1");
    storage.feed().drop(2);
    storage.store("b", "1");
    storage.feed().changedAll();
    storage.feed().repeat(1);
    storage.feed().changed(List.of("c", "d"));
    storage.feed().changedAll();
    assertThat(events.told).containsExactly("whole 0", "1:a", "4:c,d", "4:c,d", "5:all");
  }

  @Test
  void theFeedIsLostAndWholeAgain() throws Exception {
    Events events = new Events();
    Events late = new Events();
    storage.watch(events);
    storage.feed().lose("server gone");
    storage.store("a", "1");
    storage.watch(late);
    storage.feed().resume();
    storage.store("b", "1");
    assertThat(events.told).containsExactly("whole 0", "lost server gone", "whole 3", "4:b");
    assertThat(late.told).containsExactly("whole 0", "1:b");
  }

  @Test
  void watchingFails() throws Exception {
    storage.feed().refuse(reset);
    assertThatThrownBy(() -> storage.watch(new Events())).isSameAs(reset);
    storage.feed().refuse(null);
    storage.watch(new Events()).close();
  }

  @Test
  void aFailedWriteTellsNothingButOneThatWasDoneDoes() throws Exception {
    Events events = new Events();
    storage.watch(events);
    storage.writes().onCall(1, Fault.fail(reset)).onCall(2, Fault.failAfter(reset));
    assertThatThrownBy(() -> storage.store("a", "1")).isSameAs(reset);
    assertThatThrownBy(() -> storage.store("b", "1")).isSameAs(reset);
    assertThat(events.told).containsExactly("whole 0", "1:b");
  }

  @Test
  void anotherStorageBelowAnswersWhatIsNotFaulty() throws Exception {
    GatedStorage<String, String> gated = new GatedStorage<>();
    try (FaultyStorage<String, String> faulty = FaultyStorage.over(gated)) {
      FutureTask<String> load = start(() -> faulty.load("k"));
      gated.release("k", "v");
      assertThat(load.get(30, SECONDS)).isEqualTo("v");
      assertThatThrownBy(() -> faulty.store("k", "w"))
          .isInstanceOf(UnsupportedOperationException.class)
          .hasMessage("GatedStorage cannot be written");
    }
    assertThat(gated.closes()).isEqualTo(1);
  }
}
