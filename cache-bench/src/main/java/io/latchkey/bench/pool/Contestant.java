package io.latchkey.bench.pool;

import io.latchkey.bench.console.BadInputException;
import io.latchkey.cache.LoaderPool;
import java.lang.reflect.InvocationTargetException;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** The executors that are compared. */
public enum Contestant {
  /** A new platform thread for each task. */
  THREAD {
    @Override
    Open open(int workers) {
      return new Open(
          task -> {
            Thread thread = new Thread(task);
            thread.setDaemon(true);
            thread.start();
          },
          () -> {});
    }
  },
  /** A new virtual thread for each task, from JDK 21 on; reached by reflection, as 17 has none. */
  VIRTUAL {
    @Override
    Open open(int workers) {
      try {
        return closing(
            (ExecutorService)
                Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null));
      } catch (NoSuchMethodException | IllegalAccessException | InvocationTargetException e) {
        throw new IllegalStateException("this JDK has no virtual threads", e);
      }
    }
  },
  /** A fork-join pool whose parallelism is the number of workers, for tasks that are not joined. */
  FORKJOIN {
    @Override
    Open open(int workers) {
      return closing(
          new ForkJoinPool(workers, ForkJoinPool.defaultForkJoinWorkerThreadFactory, null, true));
    }
  },
  /** As many threads as workers, before a bounded queue. */
  TPE {
    @Override
    Open open(int workers) {
      return closing(
          new ThreadPoolExecutor(
              workers, workers, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(QUEUE)));
    }
  },
  /** As many threads as needed, however many that are, and no queue. */
  TPE_CACHED {
    @Override
    Open open(int workers) {
      return closing(
          new ThreadPoolExecutor(
              0, Integer.MAX_VALUE, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>()));
    }
  },
  /** Ours. */
  LOADERPOOL {
    @Override
    Open open(int workers) {
      LoaderPool pool = LoaderPool.builder().workers(workers).queue(QUEUE).build();
      return new Open(pool, pool::close);
    }
  };

  private static final int VIRTUAL_FROM = 21;
  private static final int QUEUE = 65_536;
  private static final long IDLE_SECONDS = 10;

  /**
   * An executor that is to be closed.
   *
   * @param executor runs the tasks
   * @param end closes it
   */
  record Open(Executor executor, Runnable end) implements AutoCloseable {
    @Override
    public void close() {
      end.run();
    }
  }

  abstract Open open(int workers);

  static Open closing(ExecutorService service) {
    return new Open(service, service::shutdown);
  }

  /** The name on the command line. */
  public String id() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Those that this JDK has, for who asked for none in particular. */
  public static Contestant[] available() {
    return Arrays.stream(values())
        .filter(each -> each != VIRTUAL || hasVirtual())
        .toArray(Contestant[]::new);
  }

  private static boolean hasVirtual() {
    return Runtime.version().feature() >= VIRTUAL_FROM;
  }

  /** The one of that name, if this JDK has it. */
  public static Contestant of(String id) {
    Contestant found =
        Arrays.stream(values())
            .filter(each -> each.id().equals(id))
            .findFirst()
            .orElseThrow(unknown("executor", id, Contestant.values(), Contestant::id));
    if (found == VIRTUAL && !hasVirtual()) {
      throw new BadInputException(
          "virtual threads need JDK 21 or later, this is "
              + Runtime.version().feature()
              + ": leave executor 'virtual' out");
    }
    return found;
  }

  static <T> Supplier<BadInputException> unknown(
      String what, String id, T[] all, java.util.function.Function<T, String> name) {
    return () ->
        new BadInputException(
            "unknown "
                + what
                + " '"
                + id
                + "': use one of "
                + String.join(", ", Arrays.stream(all).map(name).toList()));
  }
}
