package io.latchkey.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.cache.testing.Patience;
import io.latchkey.cache.testing.PoolThreads;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class LoaderPoolTest {
  private final List<LoaderPool> pools = new ArrayList<>();
  private final List<Held> held = new ArrayList<>();

  private LoaderPool pool(LoaderPoolBuilder builder) {
    LoaderPool pool = builder.build();
    pools.add(pool);
    return pool;
  }

  /** A task that has begun and is held until the test lets it go. */
  private static final class Held implements Runnable {
    final CountDownLatch begun = new CountDownLatch(1);
    final CountDownLatch released = new CountDownLatch(1);
    volatile @Nullable Thread thread;

    @Override
    public void run() {
      thread = Thread.currentThread();
      begun.countDown();
      Patience.await(released, "the task is released");
    }
  }

  private Held hold(LoaderPool pool) {
    Held task = submit(pool);
    Patience.await(task.begun, "the task begins");
    return task;
  }

  private Held submit(LoaderPool pool) {
    Held task = new Held();
    held.add(task);
    pool.execute(task);
    return task;
  }

  private static void release(LoaderPool pool, Held task) {
    int idle = pool.stats().idleWorkers();
    task.released.countDown();
    Patience.until("the worker is idle", () -> pool.stats().idleWorkers() == idle + 1);
  }

  private static void run(LoaderPool pool, Runnable task) {
    CountDownLatch ended = new CountDownLatch(1);
    pool.execute(
        () -> {
          try {
            task.run();
          } finally {
            ended.countDown();
          }
        });
    Patience.await(ended, "the task ends");
  }

  @AfterEach
  void closeAll() {
    held.forEach(task -> task.released.countDown());
    pools.forEach(LoaderPool::close);
  }

  @Test
  @DisplayName("A bad value is refused by its option with a message that names it")
  void badValues() {
    LoaderPoolBuilder builder = LoaderPool.builder();
    assertThatThrownBy(() -> builder.workers(0)).hasMessage("workers must be one or more, not 0");
    assertThatThrownBy(() -> builder.queue(-1)).hasMessage("queue must be zero or more, not -1");
    assertThatThrownBy(() -> builder.tasksPerThread(0))
        .hasMessage("tasksPerThread must be one or more, not 0");
    assertThatThrownBy(() -> builder.idleTime(Duration.ofNanos(-1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("idleTime must not be negative, but is PT-0.000000001S");
    LoaderPool pool = pool(builder);
    assertThatThrownBy(() -> pool.execute(null))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("task");
    assertThatThrownBy(() -> pool.offer(null))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("task");
  }

  @Test
  @DisplayName("The worker that became idle last takes the next task")
  void hottestFirst() {
    LoaderPool pool = pool(LoaderPool.builder());
    Held first = hold(pool);
    Held second = hold(pool);
    Held third = hold(pool);
    release(pool, third);
    release(pool, first);
    release(pool, second);
    assertThat(hold(pool).thread).isSameAs(second.thread);
    assertThat(hold(pool).thread).isSameAs(first.thread);
    assertThat(hold(pool).thread).isSameAs(third.thread);
    assertThat(pool.stats().workers()).isEqualTo(3);
  }

  @Test
  @DisplayName("There are never more workers and queued tasks than the bounds allow")
  void bounds() {
    LoaderPool pool = pool(LoaderPool.builder().name("bounds").workers(2).queue(2));
    Held first = hold(pool);
    hold(pool);
    Held queued = submit(pool);
    submit(pool);
    assertThatThrownBy(() -> pool.execute(() -> {}))
        .isInstanceOf(RejectedExecutionException.class)
        .hasMessage("pool bounds is full: all 2 workers work, and there is no room in the queue");
    assertThat(pool.offer(() -> {})).isFalse();
    assertThat(pool.stats()).isEqualTo(new LoaderPoolStats(2, 0, 2, 0, 0, 2, 0));
    assertThat(PoolThreads.of("bounds")).hasSize(2);
    assertThat(pool)
        .hasToString("pool bounds (2 of at most 2 workers work, 0 are idle, 2 tasks wait)");
    first.released.countDown();
    Patience.await(queued.begun, "the first task in the queue begins");
    assertThat(queued.thread).isSameAs(first.thread);
    assertThat(pool.stats()).isEqualTo(new LoaderPoolStats(2, 0, 1, 1, 0, 2, 0));
  }

  @Test
  @DisplayName("A full pool runs a task on its submitter's thread if told to, and what it throws")
  void callerRuns() {
    LoaderPool pool =
        pool(LoaderPool.builder().workers(1).queue(0).whenFull(LoaderPool.WhenFull.CALLER_RUNS));
    hold(pool);
    AtomicReference<Thread> ran = new AtomicReference<>();
    pool.execute(() -> ran.set(Thread.currentThread()));
    assertThat(ran.get()).isSameAs(Thread.currentThread());
    IllegalStateException thrown = new IllegalStateException("thrown");
    assertThatThrownBy(
            () ->
                pool.execute(
                    () -> {
                      throw thrown;
                    }))
        .isSameAs(thrown);
    assertThat(pool.offer(() -> ran.set(null))).isFalse();
    assertThat(ran.get()).isNotNull();
    assertThat(pool.stats()).isEqualTo(new LoaderPoolStats(1, 0, 0, 0, 0, 3, 2));
  }

  @Test
  @DisplayName("Workers that are idle for too long end, however many, and new ones come after them")
  void idleWorkersEnd() {
    LoaderPool pool = pool(LoaderPool.builder().name("idle").idleTime(Duration.ofMillis(1)));
    for (int round = 0; round < 3; round++) {
      List<Held> tasks = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        tasks.add(hold(pool));
      }
      tasks.forEach(task -> task.released.countDown());
      Patience.until("all workers end", () -> pool.stats().workers() == 0);
      Patience.until("so do their threads", () -> PoolThreads.of("idle").isEmpty());
    }
    assertThat(pool.stats()).isEqualTo(new LoaderPoolStats(0, 0, 0, 60, 0, 0, 0));
  }

  @Test
  @DisplayName("With an idle time of zero a worker ends as soon as it has nothing to do")
  void noIdleTime() {
    LoaderPool pool = pool(LoaderPool.builder().idleTime(Duration.ZERO));
    run(pool, () -> {});
    Patience.until("the worker ends", () -> pool.stats().workers() == 0);
    run(pool, () -> {});
  }

  @Test
  @DisplayName("With an endless idle time workers stay, and take tasks")
  void endlessIdleTime() {
    LoaderPool pool = pool(LoaderPool.builder().idleTime(Duration.ofSeconds(Long.MAX_VALUE)));
    Held first = hold(pool);
    release(pool, first);
    Thread worker = first.thread;
    Patience.until(
        "the worker parks",
        () -> worker != null && worker.getState() == Thread.State.TIMED_WAITING);
    assertThat(hold(pool).thread).isSameAs(worker);
  }

  static List<Throwable> throwables() {
    return List.of(
        new IllegalStateException("thrown"),
        new AssertionError("thrown"),
        new OutOfMemoryError("thrown"),
        new IOException("sneaky"));
  }

  @SuppressWarnings("unchecked")
  private static <X extends Throwable> void sneak(Throwable thrown) throws X {
    throw (X) thrown;
  }

  @ParameterizedTest
  @MethodSource("throwables")
  @DisplayName("What a task throws goes to the handler, and its worker goes on")
  void taskThrows(Throwable thrown) {
    AtomicReference<Throwable> told = new AtomicReference<>();
    LoaderPool pool =
        pool(
            LoaderPool.builder()
                .workers(1)
                .onFailure(
                    (thread, what) -> {
                      told.set(what);
                      throw new IllegalStateException("the handler fails too");
                    }));
    AtomicReference<Thread> first = new AtomicReference<>();
    run(
        pool,
        () -> {
          first.set(Thread.currentThread());
          LoaderPoolTest.<RuntimeException>sneak(thrown);
        });
    run(pool, () -> assertSame(first.get(), Thread.currentThread()));
    assertThat(told.get()).isSameAs(thrown);
    Patience.until(
        "both are counted", () -> pool.stats().equals(new LoaderPoolStats(1, 1, 0, 1, 1, 0, 0)));
  }

  private static void assertSame(@Nullable Object expected, Object actual) {
    if (expected != actual) {
      throw new AssertionError(actual + " instead of " + expected);
    }
  }

  @Test
  @DisplayName("A task that runs out of stack leaves its worker all of it")
  void stackOverflow() {
    LoaderPool pool = pool(LoaderPool.builder().workers(1).onFailure((thread, what) -> {}));
    AtomicInteger depth = new AtomicInteger();
    for (int i = 0; i < 3; i++) {
      depth.set(0);
      run(pool, () -> descend(depth));
      assertThat(depth.get()).isGreaterThan(1000);
    }
    Patience.until("three failed", () -> pool.stats().failedCount() == 3);
    assertThat(pool.stats().workers()).isEqualTo(1);
  }

  private static int descend(AtomicInteger depth) {
    return depth.incrementAndGet() < 0 ? 0 : descend(depth) + 1;
  }

  @Test
  @DisplayName("What a task does to its thread is undone before the next one")
  void threadIsRestored() {
    LoaderPool pool = pool(LoaderPool.builder().name("clean").workers(1));
    ClassLoader own = Thread.currentThread().getContextClassLoader();
    run(
        pool,
        () -> {
          Thread thread = Thread.currentThread();
          thread.setName("tainted");
          thread.setPriority(Thread.MIN_PRIORITY);
          thread.setContextClassLoader(null);
          thread.interrupt();
        });
    List<Object> seen = new ArrayList<>();
    run(
        pool,
        () -> {
          Thread thread = Thread.currentThread();
          seen.add(thread.getName());
          seen.add(thread.getPriority());
          seen.add(thread.getContextClassLoader());
          seen.add(thread.isInterrupted());
          seen.add(thread.isDaemon());
        });
    assertThat(seen).containsExactly("latchkey-clean-1", Thread.NORM_PRIORITY, own, false, true);
  }

  @Test
  @DisplayName("An interrupt that reaches an idle worker neither ends it nor reaches the next task")
  void idleWorkerInterrupted() {
    LoaderPool pool = pool(LoaderPool.builder().workers(1));
    Held first = hold(pool);
    release(pool, first);
    Thread worker = first.thread;
    assertThat(worker).isNotNull();
    for (int i = 0; i < 100; i++) {
      worker.interrupt();
      AtomicReference<Boolean> flag = new AtomicReference<>();
      if (i % 2 == 0) {
        Patience.until("it parks again", () -> worker.getState() == Thread.State.TIMED_WAITING);
      }
      run(
          pool,
          () -> {
            assertSame(worker, Thread.currentThread());
            flag.set(Thread.currentThread().isInterrupted());
          });
      assertThat(flag.get()).isFalse();
    }
  }

  @Test
  @DisplayName("A worker inherits no thread-locals of the thread for which it was started")
  void nothingInherited() {
    InheritableThreadLocal<String> local = new InheritableThreadLocal<>();
    local.set("of the submitter");
    LoaderPool pool = pool(LoaderPool.builder());
    AtomicReference<String> seen = new AtomicReference<>("nothing");
    run(pool, () -> seen.set(local.get()));
    assertThat(seen.get()).isNull();
  }

  @Test
  @DisplayName("With one task a thread, no task finds the thread-locals of another one")
  void freshThreads() {
    ThreadLocal<String> local = new ThreadLocal<>();
    LoaderPool pool = pool(LoaderPool.builder().name("fresh").workers(2).tasksPerThread(1));
    AtomicInteger dirty = new AtomicInteger();
    CountDownLatch all = new CountDownLatch(500);
    for (int i = 0; i < 500; i++) {
      pool.execute(
          () -> {
            if (local.get() != null) {
              dirty.incrementAndGet();
            }
            local.set("left behind");
            all.countDown();
          });
    }
    Patience.await(all, "all tasks run");
    assertThat(dirty.get()).isZero();
    Patience.until("the threads end", () -> PoolThreads.of("fresh").isEmpty());
    assertThat(pool.stats()).isEqualTo(new LoaderPoolStats(0, 0, 0, 500, 0, 0, 0));
  }
}
