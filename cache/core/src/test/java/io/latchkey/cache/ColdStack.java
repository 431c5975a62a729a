package io.latchkey.cache;

import io.latchkey.storage.WritableStorage;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A program whose first calls of a cache are made where the stack has run out, so that whatever the
 * virtual machine initializes and links at a first call meets the overflow. Then every kind of call
 * must work. Prints OK; exits with 1 and says what is wrong otherwise.
 */
final class ColdStack {
  private static final int STACK = 192 << 10;
  private static final int ENOUGH = 12;
  private static final long SECONDS = 30;
  private static final Duration LONG = Duration.ofHours(1);

  /** The first calls, by name. */
  static final Map<String, BiConsumer<Cache<Object, String>, Object>> CALLS =
      Map.of(
          "get", Cache::get,
          "timed", (cache, key) -> cache.get(key, LONG),
          "async", (cache, key) -> cache.getAsync(key).join(),
          "bulk", (cache, key) -> cache.getAll(List.of(key)),
          "put", (cache, key) -> cache.put(key, "put"),
          "remove", Cache::remove,
          "invalidate", Cache::invalidate,
          "refresh", (cache, key) -> cache.refresh(key).join());

  private final Cache<Object, String> cache = Cache.over(new Echo()).maximumSize(50).build();
  private final BiConsumer<Cache<Object, String>, Object> call;
  private int attempts;
  private int succeeded;

  private ColdStack(BiConsumer<Cache<Object, String>, Object> call) {
    this.call = call;
  }

  /** Objects that are their keys; one key fails. */
  private static final class Echo implements WritableStorage<Object, String> {
    @Override
    public String load(Object key) {
      if (key.equals("bad")) {
        throw new IllegalStateException("on purpose");
      }
      return key.toString();
    }

    @Override
    public void store(Object key, @Nullable String value) {}

    @Override
    public void delete(Object key) {}
  }

  public static void main(String[] arguments) throws Exception {
    ColdStack program = new ColdStack(CALLS.get(arguments[0]));
    Thread shallow = new Thread(null, program::down, "shallow", STACK);
    shallow.setDaemon(true);
    shallow.start();
    shallow.join(TimeUnit.SECONDS.toMillis(SECONDS));
    if (shallow.isAlive()) {
      throw new AssertionError("a call hangs: " + List.of(shallow.getStackTrace()));
    }
    if (program.succeeded < ENOUGH) {
      throw new AssertionError("no call ever went well in " + program.attempts + " attempts");
    }
    program.everythingWorks();
    System.out.println("OK");
  }

  @SuppressWarnings("InfiniteRecursion")
  private void down() {
    try {
      down();
    } catch (StackOverflowError bottom) {
      // The way up begins.
    }
    if (succeeded < ENOUGH) {
      attempt();
    }
  }

  private void attempt() {
    try {
      call.accept(cache, attempts++);
      succeeded++;
    } catch (Throwable tooDeep) {
      succeeded = 0;
    }
  }

  private void everythingWorks() throws Exception {
    for (int i = 0; i < attempts; i++) {
      Object key = i;
      cache.invalidate(key);
      expect(key.toString(), cache.get(key));
      cache.put(key, "put");
      expect("put", cache.get(key, LONG));
      cache.remove(key);
      expect(key.toString(), cache.getAsync(key).get(SECONDS, TimeUnit.SECONDS));
      expect(key.toString(), cache.refresh(key).get(SECONDS, TimeUnit.SECONDS));
      expect(key.toString(), cache.getAll(List.of(key, "other" + i)).get(key));
    }
    try {
      cache.get("bad");
      throw new AssertionError("a load that fails went well");
    } catch (CacheLoadException expected) {
      expect("on purpose", String.valueOf(expected.getCause().getMessage()));
    }
    cache.invalidateAll();
    cache.cleanUp();
    expect("0", "" + cache.estimatedSize());
  }

  private static void expect(String wanted, @Nullable String got) {
    if (!wanted.equals(got)) {
      throw new AssertionError("expected " + wanted + ", not " + got);
    }
  }
}
