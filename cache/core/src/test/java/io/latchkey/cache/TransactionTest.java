package io.latchkey.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.cache.internal.RevisionCheck;
import io.latchkey.cache.testing.ForwardingRevisions;
import io.latchkey.cache.testing.ProbeProvider;
import io.latchkey.storage.Codec;
import io.latchkey.storage.ConflictException;
import io.latchkey.storage.RevisionStorage;
import io.latchkey.storage.Storage;
import io.latchkey.storage.StorageException;
import io.latchkey.storage.testkit.FaultyRevisionStorage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Snapshots and transactions as their users see them, and the options of the builder. */
class TransactionTest {
  private final FaultyRevisionStorage<String, String> storage = FaultyRevisionStorage.create();
  private SnapshotCache<String, String> cache = SnapshotCache.over(storage).build();

  @BeforeEach
  void begin() throws Exception {
    storage.commit(Map.of("a", Optional.of("1"), "b", Optional.of("1")), 0);
  }

  @AfterEach
  void consistent() {
    RevisionCheck.check(cache);
    cache.close();
  }

  @Test
  @DisplayName("M9: a snapshot stays at its revision, and a later one sees what was committed")
  void snapshots() throws Exception {
    Snapshot<String, String> before = cache.snapshot();
    assertThat(before.get("a")).isEqualTo("1");
    storage.commit(Map.of("a", Optional.of("2"), "b", Optional.empty()), 1);
    assertThat(before.getAll(List.of("a", "b"))).isEqualTo(Map.of("a", "1", "b", "1"));
    assertThat(before.at()).isEqualTo(1);
    try (Snapshot<String, String> after = cache.snapshot()) {
      assertThat(after.at()).isEqualTo(2);
      assertThat(after.getAll(List.of("a", "b"))).isEqualTo(Map.of("a", "2"));
    }
    before.prefetch(List.of("a"));
    before.close();
    before.close();
    assertThatThrownBy(() -> before.get("a"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the snapshot at revision 1 is closed");
    assertThatThrownBy(() -> before.getAll(List.of())).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> before.prefetch(List.of())).isInstanceOf(IllegalStateException.class);
  }

  @Test
  @DisplayName("A transaction sees its own changes, and nobody else does before they are committed")
  void ownChanges() throws Exception {
    Transaction<String, String> transaction = cache.begin();
    transaction.put("a", "2");
    transaction.put("c", "2");
    transaction.remove("b");
    assertThat(transaction.get("a")).isEqualTo("2");
    assertThat(transaction.get("b")).isNull();
    assertThat(transaction.getAll(List.of("c", "b", "a", "d")))
        .isEqualTo(Map.of("c", "2", "a", "2"));
    assertThat(cache.get("a", cache.head())).isEqualTo("1");
    transaction.put("b", "3");
    assertThat(transaction.get("b")).isEqualTo("3");

    assertThat(transaction.commit()).isEqualTo(2);
    assertThat(cache.getAll(List.of("a", "b", "c"), 2))
        .isEqualTo(Map.of("a", "2", "b", "3", "c", "2"));
    assertThatThrownBy(() -> transaction.put("a", "4"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the transaction based on revision 1 is closed");
    assertThatThrownBy(() -> transaction.get("a")).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(transaction::commit).isInstanceOf(IllegalStateException.class);
  }

  @Test
  @DisplayName(
      "A transaction that is closed changes nothing, and one without changes makes no commit")
  void closedAndEmpty() throws Exception {
    try (Transaction<String, String> dropped = cache.begin()) {
      dropped.put("a", "2");
    }
    assertThat(cache.begin().commit()).isEqualTo(1);
    assertThat(storage.head()).isEqualTo(1);
  }

  @Test
  @DisplayName("A conflict names the keys, and the transaction is over")
  void conflict() throws Exception {
    Transaction<String, String> one = cache.begin();
    Transaction<String, String> two = cache.begin();
    one.put("a", "one");
    two.put("a", "two");
    two.put("b", "two");
    one.commit();
    assertThatThrownBy(two::commit)
        .isInstanceOfSatisfying(
            ConflictException.class, e -> assertThat(e.keys()).isEqualTo(List.of("a")));
    assertThatThrownBy(two::commit).isInstanceOf(IllegalStateException.class);
    assertThat(cache.getAll(List.of("a", "b"), 2)).isEqualTo(Map.of("a", "one", "b", "1"));
  }

  @Test
  @DisplayName("What was only read is not compared; what is put as it was read is")
  void readsAreNotCompared() throws Exception {
    Transaction<String, String> one = cache.begin();
    Transaction<String, String> two = cache.begin();
    Transaction<String, String> three = cache.begin();
    one.put("a", "not " + one.get("b"));
    two.put("b", "not " + two.get("a"));
    three.put("a", "1");
    one.commit();
    two.commit();
    assertThatThrownBy(three::commit).isInstanceOf(ConflictException.class);
    assertThat(cache.getAll(List.of("a", "b"), 3)).isEqualTo(Map.of("a", "not 1", "b", "not 1"));
  }

  @Test
  @DisplayName("Work is done again after a conflict, with what the others made, told or not")
  void again() throws Exception {
    storage.feed().hold();
    List<Long> bases = new ArrayList<>();
    long revision =
        cache.transact(
            3,
            transaction -> {
              bases.add(transaction.at());
              String seen = transaction.get("a");
              if (bases.size() < 3) {
                commitAside("a", seen + "+");
              }
              transaction.put("a", seen + "!");
            });
    assertThat(revision).isEqualTo(4);
    assertThat(bases).containsExactly(1L, 2L, 3L);
    assertThat(cache.get("a", 4)).isEqualTo("1++!");
    storage.feed().release();
    assertThat(cache.head()).isEqualTo(4);
    assertThat(cache.get("a", 4)).isEqualTo("1++!");

    assertThatThrownBy(
            () ->
                cache.transact(
                    2,
                    transaction -> {
                      commitAside("a", "x");
                      transaction.put("a", "y");
                    }))
        .isInstanceOf(ConflictException.class);
    assertThat(storage.head()).isEqualTo(6);
  }

  private void commitAside(String key, String value) {
    try {
      storage.commit(Map.of(key, Optional.of(value)), storage.head());
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  @DisplayName("Work that throws commits nothing")
  void workThrows() throws Exception {
    assertThatThrownBy(
            () ->
                cache.transact(
                    5,
                    transaction -> {
                      transaction.put("a", "2");
                      throw new IllegalArgumentException("no");
                    }))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("no");
    assertThat(storage.head()).isEqualTo(1);
    assertThatThrownBy(() -> cache.transact(0, transaction -> {}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("attempts must be at least 1, not 0");
  }

  @Test
  @DisplayName(
      "F18: a commit that fails is a CacheWriteException, one that is interrupted keeps the flag")
  void commitFails() {
    Exception[] failure = {new StorageException("s", "no room", null, false)};
    RevisionStorage<String, String> broken =
        new ForwardingRevisions<>(storage) {
          @Override
          public long commit(Map<String, Optional<String>> changes, long base) throws Exception {
            throw failure[0];
          }
        };
    try (SnapshotCache<String, String> over = SnapshotCache.over(broken).build()) {
      assertThatThrownBy(() -> over.transact(3, transaction -> transaction.put("a", "2")))
          .isInstanceOf(CacheWriteException.class)
          .hasMessageContaining("committing to")
          .hasMessageContaining("no room")
          .hasCause(failure[0]);
      failure[0] = new InterruptedException();
      assertThatThrownBy(() -> over.transact(3, transaction -> transaction.put("a", "2")))
          .isInstanceOf(CacheInterruptedException.class);
      assertThat(Thread.interrupted()).isTrue();
      Thread.currentThread().interrupt();
      assertThatThrownBy(() -> over.awaitHead(100, Duration.ofHours(1)))
          .isInstanceOf(CacheInterruptedException.class);
      assertThat(Thread.interrupted()).isTrue();
    }
  }

  @Test
  @DisplayName("Bad arguments are refused with one message that names them")
  @SuppressWarnings("DataFlowIssue")
  void arguments() {
    assertThatThrownBy(() -> cache.get("a", -1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("at is -1: revisions begin at 0");
    assertThatThrownBy(() -> cache.getAsync("a", -1)).hasMessageStartingWith("at is -1");
    assertThatThrownBy(() -> cache.getAll(List.of(), -1)).hasMessageStartingWith("at is -1");
    assertThatThrownBy(() -> cache.prefetch(List.of(), -1)).hasMessageStartingWith("at is -1");
    assertThatThrownBy(() -> cache.snapshotAt(-1)).hasMessageStartingWith("revision is -1");
    assertThatThrownBy(() -> cache.awaitHead(-1, Duration.ZERO))
        .hasMessageStartingWith("revision is -1");
    assertThatThrownBy(() -> cache.awaitHead(1, Duration.ofSeconds(-1)))
        .hasMessage("timeout must not be negative, but is PT-1S");
    SnapshotCacheBuilder<String, String> builder = SnapshotCache.over(storage);
    assertThatThrownBy(() -> builder.maximumSize(-1))
        .hasMessage("maximumSize must be zero or more, not -1");
    assertThatThrownBy(() -> builder.loadTimeout(Duration.ofNanos(-1)))
        .hasMessage("loadTimeout must not be negative, but is PT-0.000000001S");
    assertThatThrownBy(() -> builder.maximumWeight(5).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("maximumWeight 5 needs a weigher: call weigher(...)");
    assertThatThrownBy(() -> builder.weigher((k, v) -> 1).maximumSize(3).build())
        .hasMessage("maximumSize 3 and maximumWeight 5 exclude each other: keep one");
  }

  @Test
  @DisplayName("F16: a storage given by its URL is closed with the cache, one passed in is not")
  void ownership() throws Exception {
    SnapshotCache.over(storage).build().close();
    assertThat(storage.head()).isEqualTo(1);
    try (SnapshotCache<String, String> own =
        SnapshotCache.over("memory:owned?history=5", Codec.utf8(), Codec.utf8()).build()) {
      long made = own.transact(1, transaction -> transaction.put("k", "v"));
      assertThat(own.get("k", made)).isEqualTo("v");
    }
    assertThatThrownBy(() -> SnapshotCache.over("nonsense:x", Codec.utf8(), Codec.utf8()).build())
        .isInstanceOf(CacheException.class)
        .hasMessageContaining("nonsense");
  }

  @Test
  @DisplayName("If the head or the feed cannot be had, the cache is not built")
  void notBuilt() {
    RevisionStorage<String, String> headless =
        new ForwardingRevisions<>(storage) {
          @Override
          public long head() throws Exception {
            throw new StorageException("s", "unreachable", null, true);
          }
        };
    assertThatThrownBy(() -> SnapshotCache.over(headless).build())
        .isInstanceOf(CacheException.class)
        .hasMessageContaining("the head of")
        .hasMessageContaining("unreachable");
    storage.feed().refuse(new StorageException("s", "no feed", null, false));
    assertThatThrownBy(() -> SnapshotCache.over(storage).build())
        .isInstanceOf(CacheException.class)
        .hasMessageContaining("listening to the commits of")
        .hasMessageContaining("no feed");
  }

  @Test
  @DisplayName("A storage without revisions is refused with a message that says what to use")
  void withoutRevisions() {
    AtomicBoolean closed = new AtomicBoolean();
    Storage<String, String> plain =
        new Storage<>() {
          @Override
          public String load(String key) {
            return key;
          }

          @Override
          public void close() {
            closed.set(true);
          }
        };
    String url = ProbeProvider.url(plain);
    assertThatThrownBy(() -> SnapshotCache.over(url, Codec.utf8(), Codec.utf8()).build())
        .isInstanceOf(CacheException.class)
        .hasMessageContaining("does not number its commits");
    assertThat(closed).isTrue();
  }
}
