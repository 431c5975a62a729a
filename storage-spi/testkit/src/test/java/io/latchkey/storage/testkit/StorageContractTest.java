package io.latchkey.storage.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.latchkey.storage.AsyncStorage;
import io.latchkey.storage.FeedListener;
import io.latchkey.storage.MemoryStorage;
import io.latchkey.storage.Storage;
import io.latchkey.storage.StorageException;
import io.latchkey.storage.Subscription;
import io.latchkey.storage.WatchableStorage;
import io.latchkey.storage.WritableStorage;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Events;

/**
 * The suite itself: it passes what is right, and each fault fails the test that is there for it.
 */
class StorageContractTest {
  /** What the suite is run on; set before each run. */
  private static Supplier<Storage<String, String>> subject = Right::new;

  private static Duration patience = Duration.ofSeconds(30);

  /** A suite of its own, run by the tests below only. */
  static class Suite extends StorageContract<String, String> {
    @Override
    protected Storage<String, String> open() {
      return subject.get();
    }

    @Override
    protected String key(int number) {
      return "key" + number;
    }

    @Override
    protected String value(int number) {
      return "value" + number;
    }

    @Override
    protected boolean tellsOnTheWritingThread() {
      return true;
    }

    @Override
    protected List<String> oddKeys() {
      return List.of("", "k".repeat(300));
    }

    @Override
    protected List<String> oddValues() {
      return List.of("", "v".repeat(300));
    }

    @Override
    protected Duration patience() {
      return patience;
    }
  }

  /** A right storage, for the faulty ones to begin with. */
  static class Right implements WritableStorage<String, String>, WatchableStorage<String, String> {
    final MemoryStorage<String, String> memory = MemoryStorage.create();

    @Override
    public @Nullable String load(String key) throws Exception {
      return memory.load(key);
    }

    @Override
    public void store(String key, String value) throws Exception {
      memory.store(key, value);
    }

    @Override
    public void storeAll(Map<? extends String, ? extends String> entries) throws Exception {
      memory.storeAll(entries);
    }

    @Override
    public void delete(String key) throws Exception {
      memory.delete(key);
    }

    @Override
    public Subscription watch(FeedListener<String> listener) throws Exception {
      return memory.watch(listener);
    }

    @Override
    public String name() {
      return memory.name();
    }

    @Override
    public void close() {
      memory.close();
    }
  }

  private static Events run(Supplier<Storage<String, String>> storage) {
    subject = storage;
    return EngineTestKit.engine("junit-jupiter")
        .selectors(selectClass(Suite.class))
        .execute()
        .testEvents();
  }

  private static List<String> names(Events events) {
    return events.map(event -> event.getTestDescriptor().getDisplayName()).toList();
  }

  @Test
  void aRightStoragePasses() {
    Events events = run(Right::new);
    assertThat(names(events.failed())).isEmpty();
    assertThat(events.succeeded().count()).isGreaterThan(40);
  }

  @Test
  void aLambdaGetsTheTestsThatApply() {
    Events events = run(() -> key -> Objects.requireNonNull(key, "key").equals("?") ? "!" : null);
    assertThat(names(events.succeeded()))
        .contains("load: an absent object is null")
        .noneMatch(name -> name.startsWith("store") || name.startsWith("changed"));
    // A lambda has nothing to close; a suite for one says so.
    assertThat(names(events.failed())).containsExactly("after close: loads fail and say so");
  }

  static Stream<Arguments> faults() {
    return Stream.concat(readAndWriteFaults(), feedAndCloseFaults());
  }

  private static Arguments fault(String rule, Supplier<Storage<String, String>> storage) {
    return Arguments.of(rule, storage);
  }

  private static Stream<Arguments> readAndWriteFaults() {
    return Stream.of(
        fault(
            "load: an absent object is null",
            () ->
                new Right() {
                  @Override
                  public @Nullable String load(String key) throws Exception {
                    return memory.load(key) == null ? "" : memory.load(key);
                  }
                }),
        fault(
            "load: a null key is a NullPointerException",
            () ->
                new Right() {
                  @Override
                  public @Nullable String load(String key) throws Exception {
                    return key == null ? null : memory.load(key);
                  }
                }),
        fault(
            "loadAll: absent objects are missing from the map",
            () ->
                new Right() {
                  @Override
                  public Map<String, String> loadAll(Set<? extends String> keys) throws Exception {
                    Map<String, String> found = new HashMap<>();
                    for (String key : keys) {
                      found.put(key, load(key));
                    }
                    return found;
                  }
                }),
        fault(
            "loadAll: finds what is there, and only what was asked for",
            () ->
                new Right() {
                  @Override
                  public Map<String, String> loadAll(Set<? extends String> keys) throws Exception {
                    Map<String, String> found = super.loadAll(keys);
                    if (!found.isEmpty()) {
                      found.put("unasked", "x");
                    }
                    return found;
                  }
                }),
        fault(
            "name: not empty, constant, without credentials",
            () ->
                new Right() {
                  @Override
                  public String name() {
                    return "redis://user:secret@host";
                  }
                }),
        fault(
            "interrupts: an interrupted load harms nobody else",
            () ->
                new Right() {
                  private volatile boolean broken;

                  @Override
                  public @Nullable String load(String key) throws Exception {
                    broken |= Thread.currentThread().isInterrupted();
                    if (broken) {
                      throw new StorageException(name(), "the channel was closed", null, false);
                    }
                    return memory.load(key);
                  }
                }),
        fault(
            "store: takes the place of what was there",
            () ->
                new Right() {
                  @Override
                  public void store(String key, String value) throws Exception {
                    if (memory.load(key) == null) {
                      memory.store(key, value);
                    }
                  }
                }),
        fault(
            "delete: what was deleted is absent",
            () ->
                new Right() {
                  @Override
                  public void delete(String key) {
                    Objects.requireNonNull(key, "key");
                  }
                }),
        fault(
            "storeAll: stores all, old and new",
            () ->
                new Right() {
                  @Override
                  public void storeAll(Map<? extends String, ? extends String> entries)
                      throws Exception {
                    for (Map.Entry<? extends String, ? extends String> entry : entries.entrySet()) {
                      if (memory.load(entry.getKey()) == null) {
                        memory.store(entry.getKey(), entry.getValue());
                      }
                    }
                  }
                }),
        fault(
            "threads: a write that returned is seen by the others",
            () ->
                new Right() {
                  private final ThreadLocal<Map<String, String>> seen =
                      ThreadLocal.withInitial(HashMap::new);

                  @Override
                  public @Nullable String load(String key) throws Exception {
                    String loaded = memory.load(key);
                    return loaded == null ? null : seen.get().computeIfAbsent(key, k -> loaded);
                  }
                }),
        fault(
            "odd keys are told apart",
            () ->
                new Right() {
                  @Override
                  public void store(String key, String value) throws Exception {
                    memory.store(key.substring(0, Math.min(255, key.length())), value);
                  }
                }),
        fault(
            "odd objects come back as they were",
            () ->
                new Right() {
                  @Override
                  public @Nullable String load(String key) throws Exception {
                    String loaded = memory.load(key);
                    return loaded == null || loaded.isEmpty() ? null : loaded;
                  }
                }));
  }

  /** Hands the events of the right storage on in a way of its own. */
  private abstract static class Relay extends Right {
    @Override
    public Subscription watch(FeedListener<String> listener) throws Exception {
      Objects.requireNonNull(listener, "listener");
      return memory.watch(new RelayedListener(listener, this));
    }

    abstract void changed(FeedListener<String> to, long epoch, long sequence, List<String> keys);
  }

  private record RelayedListener(FeedListener<String> to, Relay relay)
      implements FeedListener<String> {
    @Override
    public void changed(long epoch, long sequence, Collection<? extends String> keys) {
      relay.changed(to, epoch, sequence, List.copyOf(keys));
    }

    @Override
    public void changedAll(long epoch, long sequence) {
      to.changedAll(epoch, sequence);
    }

    @Override
    public void lost(String reason) {
      to.lost(reason);
    }

    @Override
    public void whole(long epoch, long sequence) {
      to.whole(epoch, sequence);
    }
  }

  private static Stream<Arguments> feedAndCloseFaults() {
    return Stream.of(
        fault(
            "watch: whole is told first",
            () ->
                new Right() {
                  @Override
                  public Subscription watch(FeedListener<String> listener) {
                    Objects.requireNonNull(listener, "listener");
                    return () -> {};
                  }
                }),
        fault(
            "changed: a delete is told",
            () ->
                new Relay() {
                  @Override
                  void changed(FeedListener<String> to, long epoch, long number, List<String> k) {
                    boolean deleted;
                    try {
                      deleted = memory.load(k.get(0)) == null;
                    } catch (Exception e) {
                      throw new AssertionError(e);
                    }
                    if (!deleted) {
                      to.changed(epoch, number, k);
                    }
                  }
                }),
        fault(
            "changed: each key of a storeAll is told",
            () ->
                new Relay() {
                  @Override
                  void changed(FeedListener<String> to, long epoch, long number, List<String> k) {
                    to.changed(epoch, number, k.subList(0, 1));
                  }
                }),
        fault(
            "changed: writes of threads are told without holes",
            () ->
                new Relay() {
                  @Override
                  void changed(FeedListener<String> to, long epoch, long number, List<String> k) {
                    to.changed(epoch, number < 60 ? number : number + 1, k);
                  }
                }),
        fault(
            "changed: the change is visible before it is told",
            () ->
                new Right() {
                  private String pending = "";

                  @Override
                  public @Nullable String load(String key) throws Exception {
                    return key.equals(pending) ? null : memory.load(key);
                  }

                  @Override
                  public void store(String key, String value) throws Exception {
                    pending = key;
                    memory.store(key, value);
                    pending = "";
                  }
                }),
        fault(
            "close: a closed subscription is told nothing",
            () ->
                new Right() {
                  @Override
                  public Subscription watch(FeedListener<String> listener) throws Exception {
                    memory.watch(listener);
                    return () -> {};
                  }
                }),
        fault(
            "a listener that throws: it is told lost, then whole",
            () ->
                new Relay() {
                  @Override
                  void changed(FeedListener<String> to, long epoch, long number, List<String> k) {
                    try {
                      to.changed(epoch, number, k);
                    } catch (RuntimeException e) {
                      // Swallowed: the listener is not told that it missed something.
                      Objects.requireNonNull(e);
                    }
                  }
                }),
        fault(
            "in process: told on the thread, before the write returns",
            () ->
                new Relay() {
                  @Override
                  void changed(FeedListener<String> to, long epoch, long number, List<String> k) {
                    new Thread(() -> to.changed(epoch, number, k)).start();
                  }
                }),
        fault(
            "close: a second one does nothing",
            () ->
                new Right() {
                  private boolean closed;

                  @Override
                  public void close() {
                    if (closed) {
                      throw new IllegalStateException("closed already");
                    }
                    closed = true;
                  }
                }),
        fault(
            "after close: loads fail and say so",
            () ->
                new Right() {
                  @Override
                  public void close() {}
                }),
        fault(
            "loadAsync: what is there is loaded",
            () ->
                new RightAsync() {
                  @Override
                  public CompletionStage<@Nullable String> loadAsync(String key) {
                    Objects.requireNonNull(key, "key");
                    return new CompletableFuture<>();
                  }
                }));
  }

  /** A right storage that completes loads. */
  private static class RightAsync extends Right implements AsyncStorage<String, String> {
    @Override
    public CompletionStage<@Nullable String> loadAsync(String key) {
      Objects.requireNonNull(key, "key");
      try {
        return CompletableFuture.completedFuture(memory.load(key));
      } catch (StorageException e) {
        return CompletableFuture.failedFuture(e);
      }
    }
  }

  @Test
  void aRightAsyncStoragePasses() {
    Events events = run(RightAsync::new);
    assertThat(names(events.failed())).isEmpty();
    assertThat(names(events.succeeded())).contains("loadAsync: what is there is loaded");
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("faults")
  void aFaultFailsItsTest(String rule, Supplier<Storage<String, String>> storage) {
    patience = Duration.ofMillis(300);
    try {
      assertThat(names(run(storage).failed())).contains(rule);
    } finally {
      patience = Duration.ofSeconds(30);
    }
  }
}
