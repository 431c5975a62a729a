package io.latchkey.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.cache.internal.RevisionCheck;
import io.latchkey.cache.testing.Patience;
import io.latchkey.cache.testing.StackEdge;
import io.latchkey.cache.testing.TouchyKey;
import io.latchkey.storage.CommitListener;
import io.latchkey.storage.Revision;
import io.latchkey.storage.RevisionStorage;
import io.latchkey.storage.Subscription;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Calls and commits where the stack ends, and keys that throw: every key stays usable. */
class SnapshotExhaustionTest {
  /** A storage in which the object of a key is the revision of its last commit. */
  private static final class Counting implements RevisionStorage<Object, Long> {
    final Map<Object, List<Long>> commits = new ConcurrentHashMap<>();
    volatile long head = 1;
    @Nullable CommitListener<Object> listener;

    long commit(Object key) {
      long revision = head + 1;
      commits.computeIfAbsent(key, same -> new ArrayList<>()).add(revision);
      head = revision;
      return revision;
    }

    void tell(long revision, Object... keys) {
      CommitListener<Object> to = listener;
      if (to == null) {
        return;
      }
      try {
        to.committed(1, revision, List.of(keys));
      } catch (RuntimeException | StackOverflowError failed) {
        to.lost("a listener failed"); // as the contract says
        to.whole(1, revision - 1);
        to.committed(1, revision, List.of(keys));
      }
    }

    long truth(Object key, long at) {
      long last = 1;
      for (long commit : commits.getOrDefault(key, List.of())) {
        if (commit <= at) {
          last = commit;
        }
      }
      return last;
    }

    @Override
    public Revision<Long> loadAt(Object key, long at) {
      long serial = truth(key, at);
      return new Revision<>(serial, serial, Revision.NEXT_UNKNOWN);
    }

    @Override
    public long head() {
      return head;
    }

    @Override
    public Subscription commits(long from, CommitListener<Object> to) {
      listener = to;
      to.whole(1, from);
      return () -> {};
    }

    @Override
    public long commit(Map<Object, Optional<Long>> changes, long base) {
      throw new IllegalStateException("not used");
    }
  }

  /** What is called where the stack ends. */
  private enum Call {
    GET,
    BULK,
    ASYNC,
    PREFETCH,
    COMMIT
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("F6: an exhausted stack leaves every key usable, and every answer right")
  void exhausted(Call call) {
    Counting storage = new Counting();
    try (SnapshotCache<Object, Long> cache = SnapshotCache.over(storage).maximumSize(40).build()) {
      AtomicInteger number = new AtomicInteger();
      List<Object> keys = new ArrayList<>();
      int attempts =
          StackEdge.explore(
              () -> {
                // Reads of the test's own storage must not be what overflows half-way.
                String key = "k" + number.incrementAndGet() % 25;
                keys.add(key);
                keys.add(key + "+");
                try {
                  call(call, storage, cache, key);
                } catch (CacheLoadException failed) {
                  if (failed.getCause() instanceof StackOverflowError inTheStorage) {
                    throw inTheStorage;
                  }
                  throw failed;
                }
              });
      assertThat(attempts).isGreaterThan(20);
      long head = storage.head;
      CommitListener<Object> listener = storage.listener;
      if (listener != null) {
        listener.lost("the test begins anew");
        listener.whole(1, head);
      }
      for (Object key : keys) {
        for (long at : new long[] {1, Math.max(1, head / 2), head}) {
          assertThat(cache.get(key, at)).as("%s at %d", key, at).isEqualTo(storage.truth(key, at));
        }
      }
      cache.cleanUp();
      Patience.until("the cache is consistent", () -> RevisionCheck.faults(cache).isEmpty());
    }
  }

  private static void call(
      Call call, Counting storage, SnapshotCache<Object, Long> cache, String key) {
    long at = cache.head();
    switch (call) {
      case GET -> assertThat(cache.get(key, at)).isEqualTo(storage.truth(key, at));
      case BULK -> cache.getAll(List.of(key, key + "+"), at);
      case ASYNC -> cache.getAsync(key, at);
      case PREFETCH -> cache.prefetch(List.of(key, key + "+"), at);
      default -> commit(storage, cache, key);
    }
  }

  private static void commit(Counting storage, SnapshotCache<Object, Long> cache, String key) {
    cache.get(key, cache.head());
    long revision = storage.commit(key);
    storage.tell(revision, key);
    assertThat(cache.get(key, revision)).isEqualTo(revision);
  }

  @Test
  @DisplayName("F12: a key that throws makes its own call fail, or its commit, and no other")
  void touchyKeys() {
    Counting storage = new Counting();
    try (SnapshotCache<Object, Long> cache = SnapshotCache.over(storage).build()) {
      TouchyKey bad = new TouchyKey("bad");
      TouchyKey good = new TouchyKey("good");
      assertThat(cache.get(bad, 1)).isEqualTo(1);
      assertThat(cache.get(good, 1)).isEqualTo(1);
      IllegalStateException failure = new IllegalStateException("touched");
      bad.throwOnHash(failure);
      assertThatThrownBy(() -> cache.get(bad, 1)).isSameAs(failure);
      CommitListener<Object> listener = storage.listener;
      assertThat(listener).isNotNull();
      if (listener == null) {
        return;
      }
      assertThatThrownBy(() -> listener.committed(1, 2, List.of(good, bad))).isSameAs(failure);
      assertThat(cache.head()).isEqualTo(1);
      assertThat(cache.get(good, 1)).isEqualTo(1);
      bad.throwOnHash(null);
      storage.commit(good);
      storage.commits.put(bad, new ArrayList<>(List.of(2L)));
      listener.lost("a listener failed");
      listener.whole(1, 1);
      listener.committed(1, 2, List.of(good, bad));
      assertThat(cache.get(good, 2)).isEqualTo(2);
      assertThat(cache.get(bad, 2)).isEqualTo(2);
      assertThat(cache.get(good, 1)).isEqualTo(1);
      bad.throwOnEquals(failure);
      assertThatThrownBy(() -> cache.get(new TouchyKey("new"), 2)).isSameAs(failure);
      bad.throwOnEquals(null);
      assertThat(cache.get(bad, 1)).isEqualTo(1);
      RevisionCheck.check(cache);
    }
  }
}
