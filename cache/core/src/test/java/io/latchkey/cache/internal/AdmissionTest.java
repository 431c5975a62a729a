package io.latchkey.cache.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.cache.testing.Caller;
import io.latchkey.cache.testing.ManualTicker;
import io.latchkey.cache.testing.Roadblock;
import io.latchkey.cache.testing.Stage;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The books of policy and expiry, beside a table. */
class AdmissionTest {
  private static final long BOUND = 10;
  private static final long LIFE = 1000;

  @RegisterExtension final Stage stage = new Stage();
  private final Table table = new Table(100);
  private final List<String> departures = Collections.synchronizedList(new ArrayList<>());
  private final Set<Entry> held = new HashSet<>();
  private final Lifetimes lifetimes =
      new Options().afterWrite(LIFE).ticker(new ManualTicker()).lifetimes();
  private final List<FifoPolicy> policies = new ArrayList<>();
  private final Admission admission =
      new Admission(
          table,
          new Departures((key, value, cause) -> departures.add(key + " " + cause), Runnable::run),
          BOUND,
          this::newPolicy,
          () -> new ExpiryQueue(lifetimes),
          held::contains);

  private EvictionPolicy newPolicy() {
    policies.add(new FifoPolicy(BOUND));
    return policy();
  }

  private FifoPolicy policy() {
    return policies.get(policies.size() - 1);
  }

  private Entry insert(Object key) {
    TimedEntry entry = new TimedEntry(key, Table.hash(key), "v", Entry.READY);
    assertThat(table.findOrInsert(entry)).isSameAs(entry);
    return entry;
  }

  private Entry admit(Object key, long now) {
    Entry entry = insert(key);
    ((TimedEntry) entry).time(now);
    admission.changed(entry, now);
    return entry;
  }

  private @Nullable Entry find(Object key) {
    return table.findSurely(key, Table.hash(key));
  }

  private List<Object> booked() {
    List<Object> keys = new ArrayList<>();
    admission.forEach(entry -> keys.add(entry.key));
    List<Object> indexed = new ArrayList<>();
    admission.inspect((policy, index) -> index.forEach(entry -> indexed.add(entry.key)));
    assertThat(indexed).containsExactlyInAnyOrderElementsOf(keys);
    return keys;
  }

  /** Holds the policy lock in a thread of its own until the roadblock is opened. */
  private Roadblock holdLock() {
    Roadblock block = stage.roadblock().arm();
    stage.callers().run(() -> admission.inspect((policy, index) -> block.pass()));
    block.awaitHeld();
    return block;
  }

  @Test
  @DisplayName("E1: What is admitted beyond the bound drives out another, and is counted")
  void bound() {
    for (int i = 0; i < 13; i++) {
      admit(i, 0);
    }
    assertThat(booked()).containsExactly(3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
    assertThat(admission.size(0)).isEqualTo(BOUND);
    assertThat(admission.evictions()).isEqualTo(3);
    assertThat(admission.evictedWeight()).isEqualTo(3);
    assertThat(departures).containsExactly("0 EVICTED", "1 EVICTED", "2 EVICTED");
    assertThat(find(2)).isNull();
    assertThat(find(3)).isNotNull();
    assertThat(admission.idle()).isTrue();
  }

  @Test
  @DisplayName("An entry that died is taken out of the books; a second mention changes nothing")
  void died() {
    Entry first = admit("first", 0);
    Entry second = admit("second", 0);
    admission.changed(first, 0);
    first.retire();
    table.remove(first);
    admission.changed(first, 0);
    admission.changed(first, 0);
    assertThat(booked()).containsExactly("second");
    admission.changed(second, 0);
    assertThat(booked()).containsExactly("second");
    assertThat(admission.evictions()).isZero();
    assertThat(departures).isEmpty();
  }

  @Test
  @DisplayName("An entry that died before it was booked never is")
  void diedBefore() {
    Entry entry = insert("key");
    entry.retire();
    table.remove(entry);
    admission.changed(entry, 0);
    assertThat(booked()).isEmpty();
  }

  @Test
  @DisplayName(
      "E1: While the lock is held 128 admissions wait in a queue, and the next for the lock")
  void queue() {
    Roadblock block = holdLock();
    assertThat(admission.idle()).isFalse();
    for (int i = 0; i < Admission.QUEUE; i++) {
      admit(i, 0);
    }
    Caller<Entry> next = stage.callers().start(() -> admit("next", 0));
    next.awaitParked();
    block.open();
    assertThat(next.value()).isNotNull();
    assertThat(booked()).hasSize((int) BOUND).endsWith("next");
    assertThat(admission.evictions()).isEqualTo(Admission.QUEUE + 1 - BOUND);
    assertThat(admission.idle()).isTrue();
  }

  @Test
  @DisplayName("E1: A clean-up, and a look at the size, work the queue off")
  void cleanUp() {
    Roadblock block = holdLock();
    for (int i = 0; i < 12; i++) {
      admit(i, 0);
    }
    block.open();
    assertThat(admission.size(0)).as("counted, not yet driven out").isEqualTo(12);
    admission.cleanUp(0);
    assertThat(booked()).hasSize((int) BOUND);
    assertThat(admission.idle()).isTrue();
  }

  @Test
  @DisplayName("What left while it waited in the queue is passed over")
  void queuedAndDied() {
    Roadblock block = holdLock();
    Entry gone = admit("gone", 0);
    admit("stays", 0);
    gone.retire();
    table.remove(gone);
    admission.changed(gone, 0);
    block.open();
    admission.cleanUp(0);
    assertThat(booked()).containsExactly("stays");
  }

  @Test
  @DisplayName("E1: The bound changes at run time, and what is too much leaves at once")
  void resize() {
    for (int i = 0; i < 10; i++) {
      admit(i, 0);
    }
    admission.resize(3, 0);
    assertThat(admission.maximum()).isEqualTo(3);
    assertThat(booked()).containsExactly(7, 8, 9);
    assertThat(admission.evictions()).isEqualTo(7);
    admission.resize(4, 0);
    admit("more", 0);
    assertThat(booked()).containsExactly(7, 8, 9, "more");
  }

  @Test
  @DisplayName("F14: What is heavier than the bound, or has none to fit, is refused")
  void fits() {
    assertThat(admission.fits(10)).isTrue();
    assertThat(admission.fits(11)).isFalse();
    assertThat(admission.fits(0)).isTrue();
    admission.resize(0, 0);
    assertThat(admission.fits(0)).isFalse();
    admission.resize(1, 0);
    assertThat(admission.fits(1)).isTrue();
  }

  @Test
  @DisplayName(
      "E5: Each change sweeps what has expired, before the policy looks; it counts no eviction")
  void sweep() {
    for (int i = 0; i < 10; i++) {
      admit(i, i);
    }
    admit("late", LIFE + 4);
    assertThat(booked()).containsExactly(5, 6, 7, 8, 9, "late");
    assertThat(departures)
        .containsExactly("0 EXPIRED", "1 EXPIRED", "2 EXPIRED", "3 EXPIRED", "4 EXPIRED");
    assertThat(find(4)).isNull();
    assertThat(admission.evictions()).isZero();
  }

  @Test
  @DisplayName("F15: An entry that is being reloaded is not swept")
  void heldEntries() {
    Entry first = admit("first", 0);
    admit("second", 0);
    held.add(first);
    admission.cleanUp(LIFE);
    assertThat(booked()).containsExactly("first");
    held.clear();
    admission.cleanUp(LIFE);
    assertThat(booked()).isEmpty();
    assertThat(departures).containsExactly("second EXPIRED", "first EXPIRED");
  }

  @Test
  @DisplayName("F6: Books that an exhausted stack left half-written are made anew from the table")
  void rebuilt() {
    for (int i = 0; i < 5; i++) {
      admit(i, i);
    }
    Entry dead = admit("dead", 0);
    policy().breakDown(new StackOverflowError());
    admit("broken", 6);
    assertThat(admission.damaged).isTrue();
    dead.retire();
    Entry loading = new TimedEntry("loading", Table.hash("loading"), new NoLeader());
    table.findOrInsert(loading);

    admit("next", 7);
    assertThat(admission.damaged).isFalse();
    assertThat(policies).hasSize(2);
    assertThat(booked()).containsExactlyInAnyOrder(0, 1, 2, 3, 4, "broken", "next");
    assertThat(find("dead")).isNull();
    assertThat(find("loading")).isSameAs(loading);
    assertThat(admission.idle()).isTrue();
  }

  @Test
  @DisplayName("F6: Books that are made anew keep the bound that was set at run time")
  void rebuiltWithinTheBound() {
    admission.resize(3, 0);
    for (int i = 0; i < 3; i++) {
      admit(i, 0);
    }
    admission.damaged = true;
    admit("more", 0);
    assertThat(booked()).hasSize(3);
    assertThat(admission.evictions()).isEqualTo(1);
  }

  @Test
  @DisplayName("An error of the policy itself is not hidden; the lock is free and the books mended")
  void brokenPolicy() {
    admit("first", 0);
    policy().breakDown(new IllegalStateException("a bug"));
    Entry second = insert("second");
    assertThatThrownBy(() -> admission.changed(second, 0)).hasMessage("a bug");
    assertThat(admission.damaged).isTrue();
    assertThat(admission.idle()).isTrue();
    admission.cleanUp(0);
    assertThat(booked()).containsExactlyInAnyOrder("first", "second");
  }

  @Test
  @DisplayName("F6: A look at the size that fails half-way leaves the books to be made anew")
  void brokenSize() {
    Roadblock block = holdLock();
    admit("first", 0);
    admit("second", 0);
    block.open();
    policy().breakDown(new StackOverflowError());
    assertThatThrownBy(() -> admission.size(0)).isInstanceOf(StackOverflowError.class);
    assertThat(admission.damaged).isTrue();
    admission.cleanUp(0);
    assertThat(booked()).containsExactlyInAnyOrder("first", "second");
  }

  @Test
  @DisplayName("E1: Many threads at once leave exact books and an empty queue")
  void contention() {
    List<Caller<Object>> callers = new ArrayList<>();
    for (int thread = 0; thread < 4; thread++) {
      int base = thread * 10_000;
      callers.add(
          stage
              .callers()
              .run(
                  () -> {
                    for (int i = 0; i < 2000; i++) {
                      Entry entry = admit(base + i, 0);
                      if (i % 3 == 0 && entry.retire() != null) {
                        table.remove(entry);
                        admission.changed(entry, 0);
                      }
                    }
                  }));
    }
    callers.forEach(Caller::value);
    assertThat(admission.idle()).isTrue();
    List<Object> booked = booked();
    assertThat(booked).hasSizeLessThanOrEqualTo((int) BOUND);
    assertThat(table.count()).isEqualTo(booked.size());
    assertThat(booked).allSatisfy(key -> assertThat(find(key)).isNotNull());
  }
}
