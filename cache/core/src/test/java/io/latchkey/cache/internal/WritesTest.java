package io.latchkey.cache.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.cache.RecursiveLoadException;
import io.latchkey.cache.testing.Caller;
import io.latchkey.cache.testing.Stage;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The order of writes of one key. */
class WritesTest {
  @RegisterExtension final Stage stage = new Stage();
  private final Writes writes = new Writes();

  @AfterEach
  void idle() {
    assertThat(writes.idle()).isTrue();
  }

  private Caller<Writes.Write> waiting(Object... keys) {
    return stage.callers().startParked(() -> writes.begin(List.of(keys)));
  }

  @Test
  @DisplayName("F18: Writes of a key take turns in the order in which they came")
  void turns() throws InterruptedException {
    List<Integer> order = Collections.synchronizedList(new ArrayList<>());
    Writes.Write first = writes.begin(List.of("key"));
    assertThat(writes.idle()).isFalse();
    List<Caller<Object>> others = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      int number = i;
      others.add(
          stage
              .callers()
              .startParked(
                  () -> {
                    Writes.Write write = writes.begin(List.of("key"));
                    order.add(number);
                    write.end();
                    return null;
                  }));
    }
    assertThat(order).isEmpty();
    first.end();
    others.forEach(Caller::value);
    assertThat(order).containsExactly(0, 1, 2, 3);
  }

  @Test
  @DisplayName("F18: Writes of other keys do not wait")
  void otherKeys() throws InterruptedException {
    Writes.Write first = writes.begin(List.of("key"));
    stage
        .callers()
        .start(
            () -> {
              writes.begin(List.of("other", "another")).end();
              return null;
            })
        .value();
    assertThat(writes.idle()).isFalse();
    first.end();
  }

  @Test
  @DisplayName("F18: A write of several keys waits for all of them, and crossed ones take turns")
  void crossed() throws InterruptedException {
    Writes.Write a = writes.begin(List.of("a"));
    Caller<Writes.Write> both = waiting("a", "b");
    Caller<Writes.Write> reversed = waiting("b", "a");
    Caller<Writes.Write> last = waiting("b");
    a.end();
    Writes.Write write = both.value();
    assertThat(write).isNotNull();
    assertThat(reversed.ended()).isFalse();
    write.end();
    write = reversed.value();
    assertThat(write).isNotNull();
    assertThat(last.ended()).isFalse();
    write.end();
    write = last.value();
    assertThat(write).isNotNull();
    write.end();
  }

  @Test
  @DisplayName("F18: A write that is interrupted while it waits leaves the line")
  void interrupted() throws InterruptedException {
    Writes.Write first = writes.begin(List.of("key"));
    Caller<Writes.Write> leaving = waiting("key");
    Caller<Writes.Write> staying = waiting("key");
    leaving.interrupt().failure(InterruptedException.class);
    assertThat(staying.ended()).isFalse();
    first.end();
    Writes.Write write = staying.value();
    assertThat(write).isNotNull();
    write.end();
  }

  @Test
  @DisplayName("F16: A close turns away those that wait, and those that come later")
  void close() throws InterruptedException {
    Writes.Write first = writes.begin(List.of("key"));
    Caller<Writes.Write> waiting = waiting("key");
    writes.close("closed by the test");
    assertThat(waiting.failure(IllegalStateException.class)).hasMessage("closed by the test");
    Caller<Writes.Write> late = stage.callers().start(() -> writes.begin(List.of("late")));
    assertThat(late.failure(IllegalStateException.class)).hasMessage("closed by the test");
    first.end();
  }

  @Test
  @DisplayName("F10: A store that writes its own key again is told so, and leaves no trace")
  void recursion() throws InterruptedException {
    Writes.Write outer = writes.begin(List.of("key"));
    try {
      writes.begin(List.of("other", "key"));
      throw new AssertionError("it waited for itself and went on");
    } catch (RecursiveLoadException e) {
      assertThat(e).hasMessageContaining("storing key waits for itself");
    }
    Writes.Write inner = writes.begin(List.of("other"));
    inner.end();
    outer.end();
  }

  @Test
  @DisplayName(
      "F18: An invalidation of the key, or of all, makes a write that began before not stay")
  void kept() throws InterruptedException {
    writes.invalidated("key");
    Writes.Write write = writes.begin(List.of("key", "other"));
    BooleanSupplier key = write.kept(0);
    BooleanSupplier other = write.kept(1);
    assertThat(key.getAsBoolean()).isTrue();
    writes.invalidated("unrelated");
    assertThat(key.getAsBoolean()).isTrue();
    writes.invalidated("key");
    assertThat(key.getAsBoolean()).isFalse();
    assertThat(other.getAsBoolean()).isTrue();
    writes.allInvalidated();
    assertThat(other.getAsBoolean()).isFalse();
    write.end();
  }

  @Test
  @DisplayName("F18: A write that waited counts invalidations since it began, not since its turn")
  void keptWhileWaiting() throws InterruptedException {
    Writes.Write first = writes.begin(List.of("key"));
    Caller<Writes.Write> waiting = waiting("key");
    writes.invalidated("key");
    assertThat(first.kept(0).getAsBoolean()).isFalse();
    first.end();
    Writes.Write second = waiting.value();
    assertThat(second).isNotNull();
    assertThat(second.kept(0).getAsBoolean()).isFalse();
    Caller<Writes.Write> third = waiting("key");
    second.end();
    Writes.Write last = third.value();
    assertThat(last).isNotNull();
    assertThat(last.kept(0).getAsBoolean()).as("it began after that").isTrue();
    last.end();
  }

  @Test
  @DisplayName("F19: An event is an echo in the thread that stores its key, during its turn")
  void echo() throws InterruptedException {
    assertThat(writes.echo("key")).isFalse();
    Writes.Write write = writes.begin(List.of("key"));
    assertThat(writes.echo("key")).isTrue();
    assertThat(writes.echo("other")).isFalse();
    assertThat(stage.callers().start(() -> writes.echo("key")).value()).isFalse();
    write.end();
    assertThat(writes.echo("key")).isFalse();
  }
}
