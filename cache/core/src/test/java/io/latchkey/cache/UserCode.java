package io.latchkey.cache;

import io.latchkey.cache.testing.CollidingKey;
import io.latchkey.cache.testing.ManualTicker;
import io.latchkey.cache.testing.MapStorage;
import io.latchkey.cache.testing.Roadblock;
import io.latchkey.cache.testing.Stage;
import io.latchkey.storage.AsyncStorage;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Every kind of user code that a cache calls, each with a way to get one thread held in it. */
enum UserCode {
  LOAD {
    @Override
    Scene scene(Stage stage, Roadblock block) {
      Cache<CollidingKey, String> cache = stage.build(Cache.over(new Held(block)));
      return new Scene(cache, () -> cache.get(KEY)).getsJoin();
    }
  },
  LOAD_ALL {
    @Override
    Scene scene(Stage stage, Roadblock block) {
      Cache<CollidingKey, String> cache = stage.build(Cache.over(new Held(block)));
      return new Scene(cache, () -> cache.getAll(List.of(KEY, CollidingKey.of(70)))).getsJoin();
    }
  },
  LOAD_ASYNC {
    @Override
    Scene scene(Stage stage, Roadblock block) {
      Cache<CollidingKey, String> cache = stage.build(Cache.over(new Async(block)));
      return new Scene(cache, () -> cache.getAsync(KEY)).getsJoin();
    }
  },
  STORE {
    @Override
    Scene scene(Stage stage, Roadblock block) {
      Cache<CollidingKey, String> cache = stage.build(Cache.over(new Held(block)));
      return new Scene(cache, () -> cache.put(KEY, "1")).putsQueue();
    }
  },
  STORE_ALL {
    @Override
    Scene scene(Stage stage, Roadblock block) {
      Cache<CollidingKey, String> cache = stage.build(Cache.over(new Held(block)));
      return new Scene(cache, () -> cache.putAll(Map.of(KEY, "1"))).putsQueue();
    }
  },
  DELETE {
    @Override
    Scene scene(Stage stage, Roadblock block) {
      Cache<CollidingKey, String> cache = stage.build(Cache.over(new Held(block)));
      return new Scene(cache, () -> cache.remove(KEY)).putsQueue();
    }
  },
  WEIGHER_IN_LOAD {
    @Override
    Scene scene(Stage stage, Roadblock block) {
      Cache<CollidingKey, String> cache = weighed(stage, block);
      return new Scene(cache, () -> cache.get(KEY)).getsJoin();
    }
  },
  WEIGHER_IN_PUT {
    @Override
    Scene scene(Stage stage, Roadblock block) {
      Cache<CollidingKey, String> cache = weighed(stage, block);
      return new Scene(cache, () -> cache.put(KEY, "1")).putsQueue();
    }
  },
  WEIGHER_IN_MAP_PUT {
    @Override
    Scene scene(Stage stage, Roadblock block) {
      Cache<CollidingKey, String> cache = weighed(stage, block);
      return new Scene(cache, () -> cache.asMap().put(KEY, "1"));
    }
  },
  LISTENER_INVALIDATED {
    @Override
    Scene scene(Stage stage, Roadblock block) {
      Cache<CollidingKey, String> cache = listening(stage, block, new ManualTicker());
      cache.get(KEY);
      return new Scene(cache, () -> cache.invalidate(KEY));
    }
  },
  LISTENER_INVALIDATED_ALL {
    @Override
    Scene scene(Stage stage, Roadblock block) {
      Cache<CollidingKey, String> cache = listening(stage, block, new ManualTicker());
      cache.get(KEY);
      return new Scene(cache, cache::invalidateAll);
    }
  },
  LISTENER_REPLACED {
    @Override
    Scene scene(Stage stage, Roadblock block) {
      Cache<CollidingKey, String> cache = listening(stage, block, new ManualTicker());
      cache.get(KEY);
      return new Scene(cache, () -> cache.put(KEY, "2"));
    }
  },
  LISTENER_EVICTED {
    @Override
    Scene scene(Stage stage, Roadblock block) {
      Cache<CollidingKey, String> cache = listening(stage, block, new ManualTicker());
      fill(cache);
      return new Scene(cache, () -> cache.policy().setMaximum(1));
    }
  },
  LISTENER_EVICTED_BY_LOADS {
    @Override
    Scene scene(Stage stage, Roadblock block) {
      Cache<CollidingKey, String> cache = listening(stage, block, new ManualTicker());
      return new Scene(
          cache,
          () -> {
            for (int i = 100; i < 160; i++) {
              cache.get(CollidingKey.of(i));
            }
          });
    }
  },
  LISTENER_EXPIRED {
    @Override
    Scene scene(Stage stage, Roadblock block) {
      ManualTicker ticker = new ManualTicker();
      Cache<CollidingKey, String> cache = listening(stage, block, ticker);
      fill(cache);
      ticker.advance(Duration.ofDays(2));
      return new Scene(cache, cache::cleanUp);
    }
  },
  EXECUTOR_OF_REFRESH {
    @Override
    Scene scene(Stage stage, Roadblock block) {
      Cache<CollidingKey, String> cache = executing(stage, block);
      return new Scene(cache, () -> cache.refresh(KEY));
    }
  },
  EXECUTOR_OF_GET_ASYNC {
    @Override
    Scene scene(Stage stage, Roadblock block) {
      Cache<CollidingKey, String> cache = executing(stage, block);
      return new Scene(cache, () -> cache.getAsync(KEY));
    }
  },
  EXECUTOR_OF_PREFETCH {
    @Override
    Scene scene(Stage stage, Roadblock block) {
      Cache<CollidingKey, String> cache = executing(stage, block);
      return new Scene(cache, () -> cache.prefetch(List.of(KEY)));
    }
  },
  EXECUTOR_OF_LISTENER {
    @Override
    Scene scene(Stage stage, Roadblock block) {
      Cache<CollidingKey, String> cache = executing(stage, block);
      fill(cache);
      return new Scene(cache, () -> cache.policy().setMaximum(1));
    }
  },
  EXPIRY_AFTER_LOAD {
    @Override
    Scene scene(Stage stage, Roadblock block) {
      Cache<CollidingKey, String> cache = expiring(stage, block, null);
      return new Scene(cache, () -> cache.get(KEY)).getsJoin();
    }
  },
  EXPIRY_AFTER_PUT {
    @Override
    Scene scene(Stage stage, Roadblock block) {
      Cache<CollidingKey, String> cache = expiring(stage, block, null);
      return new Scene(cache, () -> cache.put(KEY, "1")).putsQueue();
    }
  },
  EXPIRY_AFTER_READ {
    @Override
    Scene scene(Stage stage, Roadblock block) {
      Cache<CollidingKey, String> cache = expiring(stage, null, block);
      cache.get(KEY);
      return new Scene(cache, () -> cache.get(KEY));
    }
  },
  FUTURE_CALLBACK {
    @Override
    Scene scene(Stage stage, Roadblock block) {
      Cache<CollidingKey, String> cache = stage.build(Cache.over(new Held(null)));
      return new Scene(cache, () -> cache.getAsync(KEY).thenRun(block::pass).join());
    }
  },
  FUTURE_CALLBACK_IN_PLACE {
    @Override
    Scene scene(Stage stage, Roadblock block) {
      Cache<CollidingKey, String> cache =
          stage.build(Cache.over(new Held(null)).executor(Runnable::run));
      return new Scene(
          cache,
          () -> {
            cache.get(KEY);
            cache.refresh(KEY).thenRun(block::pass).join();
          });
    }
  },
  TICKER_AT_HIT {
    @Override
    Scene scene(Stage stage, Roadblock block) {
      Cache<CollidingKey, String> cache = ticking(stage, block);
      cache.get(KEY);
      return new Scene(cache, () -> cache.get(KEY));
    }
  },
  TICKER_AT_PUT {
    @Override
    Scene scene(Stage stage, Roadblock block) {
      Cache<CollidingKey, String> cache = ticking(stage, block);
      return new Scene(cache, () -> cache.put(KEY, "1")).putsQueue();
    }
  },
  TICKER_AT_CLEAN_UP {
    @Override
    Scene scene(Stage stage, Roadblock block) {
      Cache<CollidingKey, String> cache = ticking(stage, block);
      fill(cache);
      return new Scene(cache, cache::cleanUp);
    }
  };

  /** The key whose call is held. */
  static final CollidingKey KEY = CollidingKey.of(0);

  /**
   * A cache and the call that gets held in the user code.
   *
   * @param getsWait a get of the key joins what is held, and so must wait
   * @param putsWait a put of the key follows what is held, and so must wait
   */
  record Scene(
      Cache<CollidingKey, String> cache, Runnable call, boolean getsWait, boolean putsWait) {
    Scene(Cache<CollidingKey, String> cache, Runnable call) {
      this(cache, call, false, false);
    }

    Scene getsJoin() {
      return new Scene(cache, call, true, false);
    }

    Scene putsQueue() {
      return new Scene(cache, call, false, true);
    }
  }

  /** Builds the cache and what is to be held; the roadblock is armed by the test. */
  abstract Scene scene(Stage stage, Roadblock block);

  private static void pass(@Nullable Roadblock block) {
    if (block != null) {
      block.pass();
    }
  }

  private static void fill(Cache<CollidingKey, String> cache) {
    for (int i = 0; i < 20; i++) {
      cache.get(CollidingKey.of(i));
    }
  }

  private static Cache<CollidingKey, String> weighed(Stage stage, Roadblock block) {
    return stage.build(
        Cache.over(new Held(null))
            .maximumWeight(40)
            .weigher(
                (key, value) -> {
                  block.pass();
                  return 1;
                }));
  }

  private static Cache<CollidingKey, String> listening(
      Stage stage, Roadblock block, Ticker ticker) {
    return stage.build(
        Cache.over(new Held(null))
            .maximumSize(40)
            .expireAfterWrite(Duration.ofDays(1))
            .ticker(ticker)
            .executor(Runnable::run)
            .removalListener((key, value, cause) -> block.pass()));
  }

  private static Cache<CollidingKey, String> executing(Stage stage, Roadblock block) {
    Executor executor =
        task -> {
          block.pass();
          task.run();
        };
    return stage.build(
        Cache.over(new Held(null))
            .maximumSize(40)
            .executor(executor)
            .removalListener((key, value, cause) -> {}));
  }

  private static Cache<CollidingKey, String> expiring(
      Stage stage, @Nullable Roadblock write, @Nullable Roadblock read) {
    Expiry<CollidingKey, String> expiry =
        new Expiry<>() {
          @Override
          public long afterWrite(CollidingKey key, String value, long now) {
            pass(write);
            return Long.MAX_VALUE;
          }

          @Override
          public long afterRead(CollidingKey key, String value, long now, long remaining) {
            pass(read);
            return remaining;
          }
        };
    return stage.build(Cache.over(new Held(null)).maximumSize(40).expireAfter(expiry));
  }

  private static Cache<CollidingKey, String> ticking(Stage stage, Roadblock block) {
    Ticker ticker =
        () -> {
          block.pass();
          return 0;
        };
    return stage.build(
        Cache.over(new Held(null))
            .maximumSize(40)
            .expireAfterWrite(Duration.ofDays(1))
            .ticker(ticker));
  }

  /** A storage each of whose calls passes the roadblock. */
  private static final class Held extends MapStorage<CollidingKey, String> {
    private final @Nullable Roadblock block;

    Held(@Nullable Roadblock block) {
      this.block = block;
      for (int i = 0; i < 1_000; i++) {
        contents().put(CollidingKey.of(i), "v" + i);
      }
    }

    @Override
    public @Nullable String load(CollidingKey key) throws Exception {
      pass(block);
      return super.load(key);
    }

    @Override
    public Map<CollidingKey, String> loadAll(Set<? extends CollidingKey> keys) throws Exception {
      pass(block);
      return super.loadAll(keys);
    }

    @Override
    public void store(CollidingKey key, String value) throws Exception {
      pass(block);
      super.store(key, value);
    }

    @Override
    public void storeAll(Map<? extends CollidingKey, ? extends String> entries) throws Exception {
      pass(block);
      super.storeAll(entries);
    }

    @Override
    public void delete(CollidingKey key) throws Exception {
      pass(block);
      super.delete(key);
    }
  }

  private record Async(Roadblock block) implements AsyncStorage<CollidingKey, String> {
    @Override
    public String load(CollidingKey key) {
      return "v";
    }

    @Override
    public CompletionStage<@Nullable String> loadAsync(CollidingKey key) {
      block.pass();
      return CompletableFuture.completedFuture("v");
    }
  }
}
