package io.latchkey.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.cache.internal.RevisionCheck;
import io.latchkey.cache.testing.Caller;
import io.latchkey.cache.testing.Callers;
import io.latchkey.storage.Codec;
import io.latchkey.storage.ConflictException;
import io.latchkey.storage.RevisionStorage;
import io.latchkey.storage.Storages;
import io.latchkey.storage.testkit.FaultyCommitFeed;
import io.latchkey.storage.testkit.FaultyRevisionStorage;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Writers commit transactions that keep an invariant over two and over ten objects while readers
 * look at it through snapshots: two objects are always equal, and ten always add up to zero. Longer
 * with {@code -Dlatchkey.soak=SECONDS}: by default it ends after a number of reads.
 */
class SnapshotRaceTest {
  private static final int WRITERS = 2;
  private static final int READERS = 3;
  private static final long READS = 500_000;
  private static final List<String> EQUAL = List.of("left", "right");
  private static final List<String> ZERO =
      IntStream.range(0, 10).mapToObj(number -> "account" + number).toList();

  private final long soakSeconds = Long.getLong("latchkey.soak", 0);
  private final AtomicBoolean over = new AtomicBoolean();
  private final AtomicLong reads = new AtomicLong();
  private final AtomicLong commits = new AtomicLong();
  private final AtomicLong acknowledged = new AtomicLong();

  /** Whether the feed tells every commit soon. */
  private boolean calm;

  /** What befalls the storage while the others run. */
  private interface Trouble {
    void next(Random random);
  }

  @Test
  @DisplayName("M9: no snapshot sees a mix of two commits, over memory")
  void overMemory() throws Exception {
    try (RevisionStorage<String, Long> storage = open("memory:?history=100000")) {
      race(storage, 12, random -> {});
    }
  }

  @Test
  @DisplayName("M9: no snapshot sees a mix of two commits, over a file")
  void overFile(@TempDir Path folder) throws Exception {
    try (RevisionStorage<String, Long> storage =
        open("mvstore:" + folder.resolve("race.db") + "?history=100000")) {
      race(storage, 12, random -> {});
    }
  }

  @Test
  @DisplayName("M9: nor while everything is evicted again and again")
  void overMemoryWithEviction() throws Exception {
    try (RevisionStorage<String, Long> storage = open("memory:?history=100000")) {
      race(storage, 3, random -> {});
    }
  }

  @Test
  @DisplayName("M8: nor over a feed that is late, comes in portions, breaks off and comes back")
  void overBadFeed() throws Exception {
    FaultyRevisionStorage<String, Long> storage =
        FaultyRevisionStorage.over(open("memory:?history=100000"));
    FaultyCommitFeed<String> feed = storage.feed();
    race(storage, 12, random -> disturb(random, feed));
    storage.close();
  }

  @Test
  @DisplayName("M8: nor over one that does so at every commit")
  void overUnsettledFeed() throws Exception {
    FaultyRevisionStorage<String, Long> storage =
        FaultyRevisionStorage.over(open("memory:?history=100000"));
    storage.feed().unsettle(seed());
    race(storage, 12, random -> {});
    storage.close();
  }

  private static void disturb(Random random, FaultyCommitFeed<String> feed) {
    switch (random.nextInt(8)) {
      case 0 -> feed.lose("on purpose");
      case 1 -> feed.reconnect();
      case 2 -> feed.reconnectAtHead();
      case 3 -> feed.hold();
      case 4 -> feed.release(1 + random.nextInt(5));
      case 5 -> feed.drop(1);
      case 6 -> feed.repeat(1);
      default -> feed.release();
    }
  }

  private static RevisionStorage<String, Long> open(String url) throws Exception {
    return (RevisionStorage<String, Long>) Storages.open(url, Codec.utf8(), Codec.int64());
  }

  private static long seed() {
    long seed = Long.getLong("latchkey.seed", System.nanoTime());
    System.out.println("SnapshotRaceTest: latchkey.seed=" + seed);
    return seed;
  }

  private void race(RevisionStorage<String, Long> storage, long bound, Trouble trouble)
      throws Exception {
    long seed = seed();
    calm = !(storage instanceof FaultyRevisionStorage);
    Callers callers = new Callers();
    try (SnapshotCache<String, Long> cache =
        SnapshotCache.over(storage).maximumSize(bound).recordStats().build()) {
      List<Caller<?>> all = new ArrayList<>();
      for (int i = 0; i < WRITERS; i++) {
        Random random = new Random(seed + i);
        all.add(callers.run(() -> write(cache, random)));
      }
      for (int i = 0; i < READERS; i++) {
        Random random = new Random(seed + 100 + i);
        all.add(callers.run(() -> read(cache, random)));
      }
      Random random = new Random(seed + 1000);
      long end = System.nanoTime() + Duration.ofSeconds(soakSeconds).toNanos();
      while (reads.get() < READS || (soakSeconds > 0 && System.nanoTime() - end < 0)) {
        trouble.next(random);
        if (all.stream().anyMatch(Caller::ended)) {
          break;
        }
        Thread.yield();
      }
      over.set(true);
      all.forEach(Caller::value);
      if (storage instanceof FaultyRevisionStorage<String, Long> faulty) {
        faulty.feed().settle();
      }
      assertThat(cache.head()).isEqualTo(storage.head());
      check(cache.snapshot());
      RevisionCheck.check(cache);
      System.out.println(
          "SnapshotRaceTest: "
              + reads
              + " reads, "
              + commits
              + " commits, "
              + cache.stats().loadSuccessCount()
              + " loads");
      assertThat(commits.get()).isPositive();
    }
  }

  private void write(SnapshotCache<String, Long> cache, Random random) {
    while (!over.get()) {
      long revision = random.nextBoolean() ? writeEqual(cache, random) : writeZero(cache, random);
      acknowledged.accumulateAndGet(revision, Math::max);
      commits.incrementAndGet();
      if (calm && random.nextInt(16) == 0) {
        cache.awaitHead(revision, Duration.ofMinutes(1));
        try (Snapshot<String, Long> own = cache.snapshot()) {
          assertThat(own.at()).as("the own commit").isGreaterThanOrEqualTo(revision);
        }
      }
    }
  }

  private static long writeEqual(SnapshotCache<String, Long> cache, Random random) {
    return transact(
        cache,
        transaction -> {
          if (random.nextInt(8) == 0) {
            EQUAL.forEach(transaction::remove);
          } else {
            long value = random.nextLong();
            EQUAL.forEach(key -> transaction.put(key, value));
          }
        });
  }

  private static long writeZero(SnapshotCache<String, Long> cache, Random random) {
    return transact(
        cache,
        transaction -> {
          String from = ZERO.get(random.nextInt(ZERO.size()));
          String to = ZERO.get(random.nextInt(ZERO.size()));
          long amount = random.nextInt(1000);
          transaction.put(from, amount(transaction, from) - amount);
          transaction.put(to, amount(transaction, to) + amount);
        });
  }

  private static long amount(Snapshot<String, Long> snapshot, String key) {
    Long amount = snapshot.get(key);
    return amount == null ? 0 : amount;
  }

  private static long transact(
      SnapshotCache<String, Long> cache, Consumer<Transaction<String, Long>> work) {
    try {
      return cache.transact(1_000, work);
    } catch (ConflictException e) {
      throw new AssertionError(e);
    }
  }

  private void read(SnapshotCache<String, Long> cache, Random random) {
    long promised = 0;
    while (!over.get()) {
      int dice = random.nextInt(10);
      try (Snapshot<String, Long> snapshot =
          dice < 8 ? cache.snapshot() : cache.snapshotAt(other(cache, random))) {
        if (dice < 8) {
          assertThat(snapshot.at()).as("the head").isGreaterThanOrEqualTo(promised);
          promised = snapshot.at();
        }
        check(snapshot);
      }
      reads.addAndGet(EQUAL.size() + ZERO.size());
    }
  }

  /** What a writer was told just now, which may be above the head, or something older. */
  private long other(SnapshotCache<String, Long> cache, Random random) {
    return random.nextBoolean()
        ? acknowledged.get()
        : Math.max(0, cache.head() - random.nextInt(20));
  }

  private static void check(Snapshot<String, Long> snapshot) {
    assertThat(snapshot.get("left"))
        .as("left and right at %s", snapshot.at())
        .isEqualTo(snapshot.get("right"));
    Map<String, Long> accounts = snapshot.getAll(ZERO);
    long sum = 0;
    for (String key : ZERO) {
      Long one = snapshot.get(key);
      assertThat(one).as("%s at %s", key, snapshot.at()).isEqualTo(accounts.get(key));
      sum += one == null ? 0 : one;
    }
    assertThat(sum).as("the sum of the accounts at %s", snapshot.at()).isZero();
  }
}
