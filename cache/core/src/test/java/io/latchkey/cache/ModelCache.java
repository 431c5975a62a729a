package io.latchkey.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.latchkey.cache.testing.ManualTicker;
import io.latchkey.cache.testing.MapStorage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a cache must do, as one plain map and no threads. Each step does one operation on the cache
 * and on the map and compares the answers.
 */
final class ModelCache {
  private static final int KEYS = 40;

  /** The options that matter to the model; times in nanoseconds, 0 where an option is not set. */
  record Rules(long live, long idle, long absent, long failed, long stale, boolean evicts) {
    Rules() {
      this(0, 0, 0, 0, 0, false);
    }

    Rules live(long nanos) {
      return new Rules(nanos, idle, absent, failed, stale, evicts);
    }

    Rules idle(long nanos) {
      return new Rules(live, nanos, absent, failed, stale, evicts);
    }

    Rules absent(long nanos) {
      return new Rules(live, idle, nanos, failed, stale, evicts);
    }

    Rules failed(long nanos) {
      return new Rules(live, idle, absent, nanos, stale, evicts);
    }

    Rules stale(long nanos) {
      return new Rules(live, idle, absent, failed, nanos, evicts);
    }

    Rules bound() {
      return new Rules(live, idle, absent, failed, stale, true);
    }
  }

  private enum Kind {
    VALUE,
    ABSENT,
    FAILED
  }

  private record Slot(Kind kind, @Nullable String value, long written, long used) {
    Slot usedAt(long now) {
      return new Slot(kind, value, written, now);
    }
  }

  /** A storage that fails for the keys that the model names. */
  private final class Backend extends MapStorage<Integer, String> {
    @Override
    public @Nullable String load(Integer key) throws Exception {
      storageCalls++;
      if (failing.contains(key)) {
        throw new IllegalStateException("fails for " + key);
      }
      return contents().get(key);
    }

    @Override
    public Map<Integer, String> loadAll(Set<? extends Integer> keys) {
      storageCalls++;
      return found(keys);
    }

    @Override
    public void store(Integer key, String value) {
      contents().put(key, value);
    }
  }

  private final Rules rules;
  private final ManualTicker ticker;
  private final Backend storage = new Backend();
  private final Set<Integer> failing = new HashSet<>();
  private final Map<Integer, Slot> slots = new HashMap<>();
  private final Map<String, Integer> untold = new HashMap<>();
  private @Nullable Cache<Integer, String> driven;
  private int valueNumber;
  private long storageCalls;
  private long hits;
  private long misses;

  /** Look-ups of which the rules do not say whether they hit: a cached absence without a load. */
  private long either;

  ModelCache(Rules rules, ManualTicker ticker) {
    this.rules = rules;
    this.ticker = ticker;
  }

  MapStorage<Integer, String> storage() {
    return storage;
  }

  void drives(Cache<Integer, String> cache) {
    driven = cache;
  }

  private Cache<Integer, String> cache() {
    if (driven == null) {
      throw new AssertionError("no cache to drive");
    }
    return driven;
  }

  /** The cache told its listener that this object left. */
  void left(String value) {
    untold.merge(value, -1, Integer::sum);
    untold.remove(value, 0);
  }

  /** The objects whose leaving was not told, or told too often. */
  List<String> told() {
    return untold.entrySet().stream().map(e -> e.getKey() + " by " + e.getValue()).toList();
  }

  /** Does one operation and gives its name. */
  String step(Random random) {
    int key = random.nextInt(KEYS);
    reconcile(key);
    int choice = random.nextInt(100);
    if (choice < 30) {
      get(key);
      return "get " + key;
    } else if (choice < 38) {
      getIfPresent(key);
      return "getIfPresent " + key;
    } else if (choice < 44) {
      put(key);
      return "put " + key;
    } else if (choice < 47) {
      cache().remove(key);
      slots.remove(key);
      return "remove " + key;
    } else if (choice < 51) {
      cache().invalidate(key);
      slots.remove(key);
      return "invalidate " + key;
    } else if (choice < 56) {
      bulk(random);
      return "bulk";
    } else if (choice < 60) {
      refresh(key);
      return "refresh " + key;
    } else if (choice < 72) {
      map(random, key);
      return "map " + key;
    } else if (choice < 80) {
      change(random, key);
      return "change " + key;
    } else if (choice < 92) {
      ticker.advance(Duration.ofNanos(random.nextInt(12)));
      return "time";
    } else if (choice < 95) {
      age(key);
      return "age " + key;
    } else if (choice < 99) {
      cache().cleanUp();
      return "cleanUp";
    } else if (rules.evicts && random.nextInt(4) == 0) {
      long maximum = cache().policy().maximum();
      // Not below the weight of the heaviest object, of which nobody would be told.
      cache().policy().setMaximum(maximum == 0 ? 0 : 16 + random.nextInt(40));
      return "setMaximum";
    } else if (random.nextInt(4) == 0) {
      cache().invalidateAll();
      slots.clear();
      return "invalidateAll";
    }
    ticker.advance(Duration.ofDays(700));
    return "years";
  }

  private String newValue() {
    int number = valueNumber++;
    return "v".repeat(1 + number % 7) + number;
  }

  private void installed(int key, String value) {
    slots.put(key, new Slot(Kind.VALUE, value, ticker.read(), ticker.read()));
    untold.merge(value, 1, Integer::sum);
    untold.remove(value, 0);
  }

  /** Takes what the policy evicted out of the model; that of the rest nothing is lost. */
  private void reconcile(int key) {
    Slot slot = valid(key);
    if (slot == null || slot.kind != Kind.VALUE || rules.idle > 0 && !rules.evicts) {
      return;
    }
    boolean there = cache().asMap().containsKey(key);
    assertThat(there || rules.evicts).as("%s is cached", key).isTrue();
    if (!there) {
      slots.remove(key);
    }
  }

  private @Nullable Slot valid(int key) {
    Slot slot = slots.get(key);
    if (slot == null) {
      return null;
    }
    long age = ticker.read() - slot.written;
    boolean over =
        switch (slot.kind) {
          case VALUE ->
              rules.live > 0 && age >= rules.live
                  || rules.idle > 0 && ticker.read() - slot.used >= rules.idle;
          case ABSENT -> age >= rules.absent;
          case FAILED -> age >= rules.failed;
        };
    return over ? null : slot;
  }

  private void use(int key, Slot slot) {
    slots.put(key, slot.usedAt(ticker.read()));
  }

  private void get(int key) {
    Slot slot = valid(key);
    if (slot != null) {
      hits++;
      use(key, slot);
      if (slot.kind == Kind.FAILED) {
        assertThat(catchThrowable(() -> cache().get(key))).isInstanceOf(CacheLoadException.class);
      } else {
        assertThat(cache().get(key)).isEqualTo(slot.value);
      }
      return;
    }
    misses++;
    if (failing.contains(key)) {
      Slot old = slots.get(key);
      if (old != null
          && rules.stale > 0
          && ticker.read() - old.written < rules.live + rules.stale) {
        assertThat(cache().get(key)).isEqualTo(old.value);
        return;
      }
      assertThat(catchThrowable(() -> cache().get(key))).isInstanceOf(CacheLoadException.class);
      slots.remove(key);
      if (rules.failed > 0) {
        slots.put(key, new Slot(Kind.FAILED, null, ticker.read(), ticker.read()));
      }
      return;
    }
    String stored = storage.contents().get(key);
    loaded(key, stored);
    assertThat(cache().get(key)).isEqualTo(stored);
  }

  private void loaded(int key, @Nullable String stored) {
    slots.remove(key);
    if (stored != null) {
      installed(key, stored);
    } else if (rules.absent > 0) {
      slots.put(key, new Slot(Kind.ABSENT, null, ticker.read(), ticker.read()));
    }
  }

  private void getIfPresent(int key) {
    Slot slot = valid(key);
    if (slot == null) {
      misses++;
      assertThat(cache().getIfPresent(key)).isNull();
    } else if (slot.kind == Kind.VALUE) {
      hits++;
      use(key, slot);
      assertThat(cache().getIfPresent(key)).isEqualTo(slot.value);
    } else {
      either++;
      assertThat(cache().getIfPresent(key)).isNull();
    }
  }

  private void put(int key) {
    String value = newValue();
    installed(key, value);
    cache().put(key, value);
    assertThat(storage.contents().get(key)).isEqualTo(value);
  }

  private void bulk(Random random) {
    Map<Integer, String> expected = new LinkedHashMap<>();
    List<Integer> asked = new ArrayList<>();
    boolean writes = random.nextInt(4) == 0;
    for (int i = random.nextInt(6); i > 0; i--) {
      int key = random.nextInt(KEYS);
      reconcile(key);
      if (writes) {
        expected.computeIfAbsent(key, k -> newValue());
      } else if (!failing.contains(key) && (slots.get(key) == null || valid(key) != null)) {
        asked.add(key);
      }
    }
    if (writes) {
      expected.forEach(this::installed);
      cache().putAll(expected);
      assertThat(storage.contents()).containsAllEntriesOf(expected);
      return;
    }
    asked.removeIf(key -> slots.get(key) != null && slots.get(key).kind == Kind.FAILED);
    for (int key : new HashSet<>(asked)) {
      Slot slot = valid(key);
      if (slot != null) {
        hits++;
        use(key, slot);
      } else {
        misses++;
        loaded(key, storage.contents().get(key));
      }
      Slot now = slots.get(key);
      String value = now == null ? null : now.value;
      if (value != null) {
        expected.put(key, value);
      }
    }
    assertThat(cache().getAll(asked)).isEqualTo(expected);
  }

  private void refresh(int key) {
    Slot slot = slots.get(key);
    if (failing.contains(key)) {
      if (slot != null && slot.kind == Kind.VALUE && valid(key) != null) {
        assertThat(cache().refresh(key)).isCompletedExceptionally();
      }
      return;
    }
    String stored = storage.contents().get(key);
    loaded(key, stored);
    assertThat(cache().refresh(key)).isCompletedWithValue(stored);
  }

  private void map(Random random, int key) {
    Map<Integer, String> map = cache().asMap();
    Slot slot = valid(key);
    String old = slot == null ? null : slot.value;
    String value = newValue();
    switch (random.nextInt(5)) {
      case 0 -> {
        installed(key, value);
        assertThat(map.put(key, value)).isEqualTo(old);
      }
      case 1 -> {
        slots.remove(key);
        assertThat(map.remove(key)).isEqualTo(old);
      }
      case 2 -> {
        if (old != null) {
          installed(key, value);
        }
        assertThat(map.replace(key, value)).isEqualTo(old);
      }
      case 3 -> {
        boolean matches = old != null && random.nextBoolean();
        if (matches) {
          slots.remove(key);
        }
        assertThat(map.remove(key, matches ? old : "other")).isEqualTo(matches);
      }
      default -> {
        if (old == null) {
          installed(key, value);
          assertThat(map.putIfAbsent(key, value)).isNull();
        } else if (rules.idle == 0) {
          assertThat(map.putIfAbsent(key, value)).isEqualTo(old);
        }
      }
    }
  }

  private void change(Random random, int key) {
    switch (random.nextInt(4)) {
      case 0 -> storage.contents().remove(key);
      case 1 -> failing.add(key);
      case 2 -> failing.clear();
      default -> storage.contents().put(key, newValue());
    }
  }

  private void age(int key) {
    Slot slot = valid(key);
    if (slot != null && slot.kind == Kind.VALUE && rules.live > 0) {
      assertThat(cache().policy().age(key))
          .contains(Duration.ofNanos(ticker.read() - slot.written));
    } else if (slots.get(key) == null) {
      assertThat(cache().policy().age(key)).isEmpty();
    }
  }

  /** Compares all that can be seen without changing it. */
  void compare(String when) {
    Map<Integer, String> expected = new HashMap<>();
    int valid = 0;
    for (int key = 0; key < KEYS; key++) {
      if (rules.evicts) {
        reconcile(key);
      }
      Slot slot = valid(key);
      valid += slot == null ? 0 : 1;
      if (slot != null && slot.value != null) {
        expected.put(key, slot.value);
      }
    }
    assertThat(new HashMap<>(cache().asMap())).as(when).isEqualTo(expected);
    assertThat(cache().estimatedSize()).as(when).isGreaterThanOrEqualTo(valid);
    if (rules.evicts) {
      assertThat(valid).as(when).isLessThanOrEqualTo((int) cache().policy().maximum());
    }
    CacheStats stats = cache().stats();
    assertThat(stats.loadSuccessCount() + stats.loadFailureCount() + stats.loadAbandonedCount())
        .as(when)
        .isEqualTo(storageCalls);
    assertThat(stats.hitCount() + stats.missCount()).as(when).isEqualTo(hits + misses + either);
    assertThat(stats.hitCount()).as(when).isBetween(hits, hits + either);
  }
}
