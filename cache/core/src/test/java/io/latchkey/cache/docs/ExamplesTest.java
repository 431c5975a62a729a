package io.latchkey.cache.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.cache.Cache;
import io.latchkey.cache.Expiry;
import io.latchkey.cache.LoaderPool;
import io.latchkey.cache.RemovalListener;
import io.latchkey.cache.Snapshot;
import io.latchkey.cache.SnapshotCache;
import io.latchkey.storage.Codec;
import io.latchkey.storage.Storage;
import io.latchkey.storage.mvstore.MvStorage;
import io.latchkey.storage.testkit.GatedStorage;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Examples of the documentation, word for word, with what they claim asserted around them. */
class ExamplesTest {
  private final Database database = new Database();
  private final Storage<Long, String> names = database::nameOf;
  private final List<String> shown = new ArrayList<>();

  /** Stands for the user's database. */
  private static final class Database {
    private final Map<Long, String> rows = new ConcurrentHashMap<>(Map.of(7L, "Grace"));
    private int reads;

    String nameOf(Long id) {
      reads++;
      return rows.get(id);
    }

    void rename(long id, String name) {
      rows.put(id, name);
    }

    String fetchName(Long id) {
      return nameOf(id);
    }
  }

  private record Token(Duration lifetime) {}

  private void show(String text) {
    shown.add(text);
  }

  @Test
  @DisplayName("Package: a lambda is a storage")
  void ofThePackage() {
    Storage<Long, String> names = id -> database.nameOf(id);
    Cache<Long, String> cache =
        Cache.over(names).maximumSize(10_000).expireAfterWrite(Duration.ofMinutes(5)).build();

    assertThat(cache.get(7L)).isEqualTo("Grace");
    assertThat(cache.get(8L)).isNull();
    cache.close();
  }

  @Test
  @DisplayName("LoaderPool: a cache whose loads run on a bounded pool")
  void ofLoaderPool() {
    try (LoaderPool pool = LoaderPool.builder().name("names").workers(16).queue(1_000).build();
        Cache<Long, String> cache = Cache.over(names).executor(pool).build()) {
      cache.prefetch(List.of(1L, 2L, 3L)); // on the pool
      CompletableFuture<String> name = cache.getAsync(7L);
      name.thenAccept(this::show).join();
    }
    assertThat(shown).containsExactly("Grace");
  }

  @Test
  @DisplayName("README: a pool whose submitters are slowed down when it is full")
  void ofAnOwnPool() {
    LoaderPool pool =
        LoaderPool.builder()
            .name("names")
            .workers(16) // the store has 16 connections
            .queue(200)
            .whenFull(LoaderPool.WhenFull.CALLER_RUNS) // who asks for too much is slowed down
            .build();
    Cache<Long, String> byId = Cache.over(names).executor(pool).build();

    assertThat(byId.getAsync(7L).join()).isEqualTo("Grace");
    byId.close();
    pool.close();
  }

  @Test
  @DisplayName("Cache: an invalidated object is loaded again")
  void ofCache() {
    try (Cache<Long, String> cache = Cache.over(names).maximumSize(10_000).build()) {
      show(cache.get(7L)); // loads; null if there is no such object
      show(cache.get(7L)); // a hit
      database.rename(7L, "Ada");
      cache.invalidate(7L); // what a load brings that is under way now is not kept
      show(cache.get(7L)); // loads again
    }

    assertThat(shown).containsExactly("Grace", "Grace", "Ada");
    assertThat(database.reads).isEqualTo(2);
  }

  @Test
  @DisplayName("CacheBuilder: the options go together")
  void ofCacheBuilder() {
    Cache<Long, String> cache =
        Cache.over(names)
            .maximumSize(10_000)
            .expireAfterWrite(Duration.ofMinutes(5))
            .refreshAfterWrite(Duration.ofMinutes(1)) // read often, an object never gets old
            .staleIfError(Duration.ofHours(1)) // serve the old one while the storage is down
            .cacheAbsentFor(Duration.ofSeconds(10))
            .loadTimeout(Duration.ofSeconds(2))
            .build();

    assertThat(cache.get(7L)).isEqualTo("Grace");
    assertThat(cache.get(8L)).isNull();
    assertThat(cache.get(8L)).isNull();
    assertThat(database.reads).isEqualTo(2);
    cache.close();
  }

  @Test
  @DisplayName("Expiry: each object has its own time to live")
  void ofExpiry() {
    Expiry<Long, Token> untilTheTokenDoes = (id, token, now) -> token.lifetime().toNanos();

    AtomicLong time = new AtomicLong();
    Storage<Long, Token> tokens = id -> new Token(Duration.ofSeconds(id));
    try (Cache<Long, Token> cache =
        Cache.over(tokens).expireAfter(untilTheTokenDoes).ticker(time::get).build()) {
      cache.getAll(List.of(1L, 3L));
      time.addAndGet(Duration.ofSeconds(2).toNanos());
      assertThat(cache.getIfPresent(1L)).isNull();
      assertThat(cache.getIfPresent(3L)).isNotNull();
    }
  }

  @Test
  @DisplayName("Weigher: the bound is a sum of weights")
  void ofWeigher() {
    Storage<String, byte[]> site = path -> new byte[Integer.parseInt(path)];
    Cache<String, byte[]> pages =
        Cache.over(site)
            .maximumWeight(64 << 20) // 64 MiB
            .weigher((path, page) -> page.length)
            .build();

    pages.policy().setMaximum(100);
    assertThat(pages.get("101")).hasSize(101);
    assertThat(pages.get("100")).hasSize(100);
    assertThat(pages.getIfPresent("101")).isNull();
    assertThat(pages.getIfPresent("100")).hasSize(100);
    pages.close();
  }

  @Test
  @DisplayName("Ticker: a test need not wait for expiry")
  void ofTicker() {
    AtomicLong time = new AtomicLong();
    Cache<Long, String> cache =
        Cache.over(names).expireAfterWrite(Duration.ofMinutes(5)).ticker(time::get).build();
    show(cache.get(7L));
    time.addAndGet(Duration.ofMinutes(6).toNanos()); // no test need wait that long
    show(cache.getIfPresent(7L)); // null: expired

    assertThat(shown).containsExactly("Grace", null);
    cache.close();
  }

  @Test
  @DisplayName("RemovalListener: is told key, object and cause")
  void ofRemovalListener() {
    List<String> journal = new ArrayList<>();
    RemovalListener<Long, String> toJournal = (id, name, cause) -> journal.add(id + " " + cause);

    try (Cache<Long, String> cache =
        Cache.over(names).executor(Runnable::run).removalListener(toJournal).build()) {
      cache.get(7L);
      cache.invalidate(7L);
    }
    assertThat(journal).containsExactly("7 INVALIDATED");
  }

  @Test
  @DisplayName("Storage: a lambda is a storage")
  void ofStorage() throws Exception {
    Database client = database;
    Storage<Long, String> users = id -> client.fetchName(id);

    assertThat(users.load(7L)).isEqualTo("Grace");
  }

  @Test
  @DisplayName("GatedStorage: an invalidation comes between the begin and the end of a load")
  void ofGatedStorage() throws Exception {
    ExecutorService executor = Executors.newSingleThreadExecutor();
    try {
      GatedStorage<String, String> storage = new GatedStorage<>();
      Cache<String, String> cache = Cache.over(storage).build();
      Future<String> caller = executor.submit(() -> cache.get("k"));
      storage.await("k"); // the load has begun and is held
      cache.invalidate("k");
      storage.release("k", "old"); // now it ends
      assertThat(caller.get()).isEqualTo("old");
      assertThat(cache.getIfPresent("k")).isNull();
      cache.close();
    } finally {
      executor.shutdownNow();
    }
  }

  @Test
  @DisplayName("MvStorage: what was stored is there when the file is opened again")
  void ofMvStorage(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("users.db");
    try (MvStorage<Long, String> users = MvStorage.open(file, Codec.int64(), Codec.utf8())) {
      users.store(1L, "Ada");
    }

    try (Cache<Long, String> cache =
        Cache.over("mvstore:" + file, Codec.int64(), Codec.utf8()).build()) {
      assertThat(cache.get(1L)).isEqualTo("Ada");
    }
  }

  @Test
  @DisplayName("SnapshotCache: two objects of one revision")
  void ofSnapshotCache() {
    try (SnapshotCache<String, String> accounts =
            SnapshotCache.over("memory:", Codec.utf8(), Codec.utf8()).maximumSize(100_000).build();
        Snapshot<String, String> now = accounts.snapshot()) {
      now.get("alice"); // these two are of one revision, whatever is committed between them
      now.get("bob");
    }
  }
}
