package io.latchkey.storage.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.storage.Subscription;
import io.latchkey.storage.WatchableStorage;
import io.latchkey.storage.WritableStorage;
import io.latchkey.storage.testkit.FeedRecorder.Event;
import io.latchkey.storage.testkit.FeedRecorder.Kind;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** What storages that tell their changes keep. */
final class FeedChecks<K, V> {
  private static final int THREADS = 4;

  private final StorageContract<K, V> contract;

  FeedChecks(StorageContract<K, V> contract) {
    this.contract = contract;
  }

  /** What a test does with a storage that is watched by a recorder, and writes to it. */
  private interface Watched<K, V> {
    void run(WritableStorage<K, V> storage, FeedRecorder<K> recorder) throws Exception;
  }

  CheckList<K, V> checks(boolean writable) {
    CheckList<K, V> checks = new CheckList<>(contract);
    checks.addWatchable("watch: whole is told first", this::tellsWhole);
    checks.addWatchable("watch: a null listener is a NullPointerException", this::nullListener);
    if (writable) {
      watched(checks, "changed: a store is told", this::tellsStore);
      watched(checks, "changed: a delete is told", this::tellsDelete);
      watched(checks, "changed: each key of a storeAll is told", this::tellsStoreAll);
      watched(checks, "changed: writes of threads are told without holes", this::tellsThreads);
      watched(checks, "changed: a store by a listener is told as well", this::tellsNested);
      checks.addWatchable("changed: the change is visible before it is told", this::isVisible);
      checks.addWatchable("watch: each listener is told everything", this::tellsAll);
      checks.addWatchable("close: a closed subscription is told nothing", this::endsEvents);
      checks.addWatchable("a listener that throws: others go on", this::othersGoOn);
      checks.addWatchable("a listener that throws: it is told lost, then whole", this::tellsLost);
      if (contract.tellsOnTheWritingThread()) {
        watched(checks, "in process: told on the thread, before the write returns", this::inside);
      }
    }
    return checks;
  }

  private FeedRecorder<K> recorder() {
    return new FeedRecorder<>(contract.patience());
  }

  private WritableStorage<K, V> writable(WatchableStorage<K, V> storage) {
    return (WritableStorage<K, V>) storage;
  }

  private void watched(CheckList<K, V> checks, String rule, Watched<K, V> check) {
    checks.addWatchable(
        rule,
        storage -> {
          FeedRecorder<K> recorder = recorder();
          try (Subscription subscription = storage.watch(recorder)) {
            assertThat(subscription).isNotNull();
            recorder.awaitWhole();
            check.run(writable(storage), recorder);
            recorder.checkOrder();
          }
        });
  }

  private void tellsWhole(WatchableStorage<K, V> storage) throws Exception {
    FeedRecorder<K> recorder = recorder();
    try (Subscription subscription = storage.watch(recorder)) {
      assertThat(subscription).isNotNull();
      if (contract.tellsOnTheWritingThread()) {
        assertThat(recorder.events()).as("told before watch returned").isNotEmpty();
      }
      recorder.awaitWhole();
      assertThat(recorder.events().get(0).kind()).isEqualTo(Kind.WHOLE);
    }
  }

  @SuppressWarnings("NullAway") // what is checked is the answer to a null
  private void nullListener(WatchableStorage<K, V> storage) {
    assertThatThrownBy(() -> storage.watch(null)).isInstanceOf(NullPointerException.class);
  }

  private void tellsStore(WritableStorage<K, V> storage, FeedRecorder<K> recorder)
      throws Exception {
    for (int i = 0; i < 20; i++) {
      storage.store(contract.key(i), contract.value(i));
      recorder.awaitChanged(contract.key(i));
    }
  }

  private void tellsDelete(WritableStorage<K, V> storage, FeedRecorder<K> recorder)
      throws Exception {
    storage.store(contract.key(0), contract.value(0));
    storage.delete(contract.key(0));
    recorder.await("a store and a delete", events -> count(events, contract.key(0)) >= 2);
  }

  private static <K> long count(Iterable<Event<K>> events, K key) {
    long count = 0;
    for (Event<K> event : events) {
      if (event.kind() == Kind.CHANGED_ALL || event.keys().contains(key)) {
        count++;
      }
    }
    return count;
  }

  private void tellsStoreAll(WritableStorage<K, V> storage, FeedRecorder<K> recorder)
      throws Exception {
    Map<K, V> entries = new LinkedHashMap<>();
    for (int i = 0; i < 20; i++) {
      entries.put(contract.key(i), contract.value(i));
    }
    storage.storeAll(entries);
    entries.keySet().forEach(recorder::awaitChanged);
  }

  private void tellsThreads(WritableStorage<K, V> storage, FeedRecorder<K> recorder)
      throws Exception {
    int each = 25;
    Crew.start(
            THREADS,
            thread -> {
              for (int i = 0; i < each; i++) {
                storage.store(contract.key(thread * each + i), contract.value(i));
              }
            })
        .join(contract.patience());
    for (int i = 0; i < THREADS * each; i++) {
      recorder.awaitChanged(contract.key(i));
    }
  }

  private void tellsNested(WritableStorage<K, V> storage, FeedRecorder<K> recorder)
      throws Exception {
    AtomicBoolean once = new AtomicBoolean();
    FeedRecorder<K> storing =
        new FeedRecorder<>(contract.patience()) {
          @Override
          protected void react(Event<K> event) {
            if (event.kind() == Kind.CHANGED && once.compareAndSet(false, true)) {
              try {
                storage.store(contract.key(1), contract.value(1));
              } catch (Exception e) {
                throw new AssertionError(e);
              }
            }
          }
        };
    try (Subscription subscription = ((WatchableStorage<K, V>) storage).watch(storing)) {
      assertThat(subscription).isNotNull();
      storing.awaitWhole();
      storage.store(contract.key(0), contract.value(0));
      storing.awaitChanged(contract.key(1));
      recorder.awaitChanged(contract.key(1));
    }
  }

  private void isVisible(WatchableStorage<K, V> storage) throws Exception {
    CopyOnWriteArrayList<Object> seen = new CopyOnWriteArrayList<>();
    Object absent = new Object();
    FeedRecorder<K> loading =
        new FeedRecorder<>(contract.patience()) {
          @Override
          protected void react(Event<K> event) {
            if (event.kind() == Kind.CHANGED) {
              try {
                @Nullable V loaded = storage.load(contract.key(0));
                seen.add(loaded == null ? absent : loaded);
              } catch (Exception e) {
                throw new AssertionError(e);
              }
            }
          }
        };
    try (Subscription subscription = storage.watch(loading)) {
      assertThat(subscription).isNotNull();
      loading.awaitWhole();
      for (int i = 0; i < 20; i++) {
        int events = i + 1;
        writable(storage).store(contract.key(0), contract.value(i));
        loading.await("event " + events, told -> count(told, contract.key(0)) >= events);
        assertThat(seen).as("loads made by the listener").hasSize(events);
        @SuppressWarnings("unchecked") // only objects of this storage, or the mark, are in the list
        V last = (V) seen.get(i);
        assertThat(last).as("the object of store %d is visible", i).isNotSameAs(absent);
        contract.assertSame(last, contract.value(i));
      }
    }
  }

  private void tellsAll(WatchableStorage<K, V> storage) throws Exception {
    FeedRecorder<K> one = recorder();
    FeedRecorder<K> two = recorder();
    try (Subscription first = storage.watch(one);
        Subscription second = storage.watch(two)) {
      assertThat(first).isNotSameAs(second);
      one.awaitWhole();
      two.awaitWhole();
      writable(storage).store(contract.key(0), contract.value(0));
      one.awaitChanged(contract.key(0));
      two.awaitChanged(contract.key(0));
    }
  }

  private void endsEvents(WatchableStorage<K, V> storage) throws Exception {
    FeedRecorder<K> closed = recorder();
    FeedRecorder<K> open = recorder();
    Subscription subscription = storage.watch(closed);
    try (Subscription other = storage.watch(open)) {
      assertThat(other).isNotNull();
      closed.awaitWhole();
      open.awaitWhole();
      subscription.close();
      subscription.close();
      writable(storage).store(contract.key(0), contract.value(0));
      open.awaitChanged(contract.key(0));
      assertThat(closed.events()).extracting(Event::kind).doesNotContain(Kind.CHANGED);
    }
  }

  /** Thrown by a listener; without a trace, because storages log it and nothing is wrong. */
  private static final class OnPurpose extends RuntimeException {
    private static final long serialVersionUID = 1L;

    OnPurpose() {
      super("the contract suite lets a listener fail, to see what happens", null, false, false);
    }
  }

  /** Throws at the first change. */
  private FeedRecorder<K> throwing() {
    AtomicBoolean once = new AtomicBoolean();
    return new FeedRecorder<>(contract.patience()) {
      @Override
      protected void react(Event<K> event) {
        if (event.kind() == Kind.CHANGED && once.compareAndSet(false, true)) {
          throw new OnPurpose();
        }
      }
    };
  }

  private void othersGoOn(WatchableStorage<K, V> storage) throws Exception {
    FeedRecorder<K> before = recorder();
    FeedRecorder<K> after = recorder();
    try (Subscription first = storage.watch(before);
        Subscription failing = storage.watch(throwing());
        Subscription last = storage.watch(after)) {
      assertThat(failing).isNotSameAs(first).isNotSameAs(last);
      before.awaitWhole();
      after.awaitWhole();
      for (int i = 0; i < 5; i++) {
        writable(storage).store(contract.key(i), contract.value(i));
        before.awaitChanged(contract.key(i));
        after.awaitChanged(contract.key(i));
      }
      assertThat(before.events()).extracting(Event::kind).doesNotContain(Kind.LOST);
      assertThat(after.events()).extracting(Event::kind).doesNotContain(Kind.LOST);
    }
  }

  private void tellsLost(WatchableStorage<K, V> storage) throws Exception {
    FeedRecorder<K> failing = throwing();
    try (Subscription subscription = storage.watch(failing)) {
      assertThat(subscription).isNotNull();
      failing.awaitWhole();
      writable(storage).store(contract.key(0), contract.value(0));
      // A storage that tries again at the next event only is given one.
      writable(storage).store(contract.key(1), contract.value(1));
      failing.await(
          "lost and then whole",
          events -> {
            int lost = events.stream().map(Event::kind).toList().indexOf(Kind.LOST);
            return lost > 0
                && events.stream().skip(lost).anyMatch(event -> event.kind() == Kind.WHOLE);
          });
      writable(storage).store(contract.key(2), contract.value(2));
      failing.awaitChanged(contract.key(2));
      failing.checkOrder();
    }
  }

  private void inside(WritableStorage<K, V> storage, FeedRecorder<K> recorder) throws Exception {
    storage.store(contract.key(0), contract.value(0));
    storage.storeAll(Map.of(contract.key(1), contract.value(1)));
    storage.delete(contract.key(0));
    assertThat(recorder.events().stream().skip(1))
        .as("told by the time that the write returned")
        .hasSize(3)
        .allSatisfy(event -> assertThat(event.thread()).isSameAs(Thread.currentThread()));
  }
}
