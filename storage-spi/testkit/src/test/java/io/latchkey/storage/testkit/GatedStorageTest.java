package io.latchkey.storage.testkit;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

class GatedStorageTest {
  private final GatedStorage<String, String> storage = new GatedStorage<>();

  /** A call on a thread of its own that the test can interrupt. */
  private static final class Caller<T> {
    private final FutureTask<T> task;
    private final Thread thread;

    Caller(Callable<T> call) {
      task = new FutureTask<>(call);
      thread = new Thread(task, "caller");
      thread.setDaemon(true);
      thread.start();
    }

    T result() throws Exception {
      return task.get(30, SECONDS);
    }

    Throwable failure() throws Exception {
      try {
        throw new AssertionError("returned " + result());
      } catch (ExecutionException e) {
        return e.getCause();
      }
    }
  }

  @Test
  void aLoadBlocksUntilItIsReleased() throws Exception {
    Caller<String> caller = new Caller<>(() -> storage.load("k"));
    GatedCall<String, String> call = storage.await("k");
    assertThat(call.isHeld()).isTrue();
    assertThat(call.thread()).isSameAs(caller.thread);
    assertThat(caller.task.isDone()).isFalse();
    assertThat(storage.loadsUnderWay()).isEqualTo(1);
    storage.release("k", "v");
    assertThat(caller.result()).isEqualTo("v");
    assertThat(call.hasEnded()).isTrue();
    assertThat(storage.loads("k")).isEqualTo(1);
    assertThat(storage.loads("other")).isZero();
    assertThat(storage.loadsUnderWay("k")).isZero();
  }

  @Test
  void loadsOfOneKeyEndInTheOrderThatTheTestWants() throws Exception {
    Caller<String> first = new Caller<>(() -> storage.load("k"));
    GatedCall<String, String> firstCall = storage.await("k", 1);
    Caller<String> second = new Caller<>(() -> storage.load("k"));
    storage.await("k", 2).release("two");
    assertThat(second.result()).isEqualTo("two");
    assertThat(firstCall.isHeld()).isTrue();
    storage.releaseAbsent("k");
    assertThat(first.result()).isNull();
  }

  @Test
  void aLoadFailsWithWhatTheTestSays() throws Exception {
    for (Throwable failure :
        new Throwable[] {new IOException("disk"), new StackOverflowError(), new Throwable("odd")}) {
      Caller<String> caller = new Caller<>(() -> storage.load("k"));
      storage.fail("k", failure);
      assertThat(caller.failure()).isSameAs(failure);
    }
  }

  @Test
  void aLoadRunsCodeOfTheTestOnItsThread() throws Exception {
    Caller<String> caller = new Caller<>(() -> storage.load("k"));
    storage.await("k").run(() -> Thread.currentThread().getName());
    assertThat(caller.result()).isEqualTo("caller");
  }

  @Test
  void waitingForALoadThatNeverComesFailsAndListsTheCalls() throws Exception {
    Caller<String> caller = new Caller<>(() -> storage.load("here"));
    storage.await("here");
    storage.patience(Duration.ofMillis(1));
    assertThatThrownBy(() -> storage.await("gone"))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("no load of gone")
        .hasMessageContaining("[here] by caller (held)");
    storage.failHeld(new IOException("end"));
    assertThat(caller.failure()).hasMessage("end");
  }

  @Test
  void aCallEndsOnce() throws Exception {
    Caller<String> caller = new Caller<>(() -> storage.load("k"));
    GatedCall<String, String> call = storage.await("k");
    call.release("v");
    assertThatThrownBy(() -> call.release("w")).isInstanceOf(IllegalStateException.class);
    assertThat(caller.result()).isEqualTo("v");
  }

  @Test
  void aHeldLoadHonoursInterrupts() throws Exception {
    Caller<String> caller = new Caller<>(() -> storage.load("k"));
    GatedCall<String, String> call = storage.await("k");
    caller.thread.interrupt();
    assertThat(caller.failure()).isInstanceOf(InterruptedException.class);
    assertThat(call.isHeld()).isFalse();
    assertThatThrownBy(() -> call.release("v")).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aHeldLoadThrowsItsOwnKindOfInterrupt() throws Exception {
    storage.interruptedAs(
        e -> {
          Thread.currentThread().interrupt();
          return new ClosedByInterruptException();
        });
    Caller<String> caller = new Caller<>(() -> storage.load("k"));
    storage.await("k");
    caller.thread.interrupt();
    assertThat(caller.failure()).isInstanceOf(ClosedByInterruptException.class);
  }

  @Test
  void aHeldLoadThatIgnoresInterruptsReturnsWithTheFlagSet() throws Exception {
    storage.ignoringInterrupts();
    Caller<String> caller =
        new Caller<>(() -> storage.load("k") + Thread.currentThread().isInterrupted());
    GatedCall<String, String> call = storage.await("k");
    caller.thread.interrupt();
    assertThat(call.isHeld()).isTrue();
    call.release("v");
    assertThat(caller.result()).isEqualTo("vtrue");
  }

  @Test
  void openGatesAnswerFromTheContentsAndCount() throws Exception {
    storage.open("k", "v");
    assertThat(storage.load("k")).isEqualTo("v");
    storage.contents().put("other", "w");
    Caller<String> held = new Caller<>(() -> storage.load("other"));
    storage.pass("other");
    assertThat(held.result()).isEqualTo("w");
    storage.open();
    assertThat(storage.load("other")).isEqualTo("w");
    assertThat(storage.load("none")).isNull();
    assertThat(storage.loads()).isEqualTo(4);
    storage.shut();
    Caller<String> again = new Caller<>(() -> storage.load("k"));
    storage.release("k", "x");
    assertThat(again.result()).isEqualTo("x");
  }

  @Test
  void closeIsCountedOnly() throws Exception {
    Caller<String> caller = new Caller<>(() -> storage.load("k"));
    storage.await("k");
    storage.close();
    assertThat(storage.closes()).isEqualTo(1);
    assertThat(storage.loadsUnderWay()).isEqualTo(1);
    storage.release("k", "v");
    assertThat(caller.result()).isEqualTo("v");
  }

  @Test
  void aBulkLoadIsHeldAsAWhole() throws Exception {
    GatedBulkStorage<String, String> bulk = new GatedBulkStorage<>();
    Caller<Map<String, String>> caller = new Caller<>(() -> bulk.loadAll(Set.of("a", "b")));
    assertThat(bulk.awaitBulk("b").keys()).containsExactlyInAnyOrder("a", "b");
    assertThat(bulk.bulkLoadsUnderWay()).isEqualTo(1);
    bulk.releaseBulk(Map.of("a", "1"));
    assertThat(caller.result()).containsExactly(Map.entry("a", "1"));

    Caller<Map<String, String>> failing = new Caller<>(() -> bulk.loadAll(Set.of("a")));
    bulk.failBulk(new IOException("disk"));
    assertThat(failing.failure()).isInstanceOf(IOException.class);

    bulk.contents().put("a", "2");
    Caller<Map<String, String>> passing = new Caller<>(() -> bulk.loadAll(Set.of("a", "c")));
    bulk.passBulk();
    assertThat(passing.result()).containsExactly(Map.entry("a", "2"));
    bulk.open();
    assertThat(bulk.loadAll(Set.of("a"))).containsExactly(Map.entry("a", "2"));
    assertThat(bulk.bulkLoads()).hasSize(4);
    assertThat(bulk.loads()).isZero();
  }

  @Test
  void writesAreHeldBeforeTheirEffect() throws Exception {
    GatedWritableStorage<String, String> writable = new GatedWritableStorage<>();
    writable.store("k", "1");
    assertThat(writable.contents()).containsEntry("k", "1");
    writable.gateWrites();
    Caller<Object> store = new Caller<>(() -> write(() -> writable.store("k", "2")));
    writable.awaitWrite("k");
    assertThat(writable.contents()).containsEntry("k", "1");
    assertThat(writable.writesUnderWay()).isEqualTo(1);
    writable.releaseWrite("k");
    store.result();
    assertThat(writable.contents()).containsEntry("k", "2");

    Caller<Object> failing = new Caller<>(() -> write(() -> writable.delete("k")));
    writable.failWrite("k", new IOException("disk"));
    assertThat(failing.failure()).isInstanceOf(IOException.class);
    assertThat(writable.contents()).containsEntry("k", "2");

    Caller<Object> unsure = new Caller<>(() -> write(() -> writable.delete("k")));
    writable.failWriteAfter("k", () -> writable.contents().remove("k"), new IOException("net"));
    assertThat(unsure.failure()).hasMessage("net");
    assertThat(writable.contents()).isEmpty();
    writable.openWrites();
    writable.delete("k");
    assertThat(writable.writes()).containsExactly("k", "k", "k", "k", "k");
  }

  private interface Write {
    void run() throws Exception;
  }

  private static Object write(Write write) throws Exception {
    write.run();
    return "done";
  }
}
