package io.latchkey.cache;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Builds a {@link LoaderPool}; begun by {@link LoaderPool#builder}. Every option is optional. A bad
 * value is refused by the option, a later call of an option replaces an earlier one. Not
 * thread-safe; may build several pools.
 */
public final class LoaderPoolBuilder {
  private static final int WORKERS = 1024;
  private static final int QUEUE = 65_536;
  private static final Duration IDLE_TIME = Duration.ofSeconds(10);

  private String name = "loader";
  private int workers = WORKERS;
  private int queue = QUEUE;
  private long idleNanos = IDLE_TIME.toNanos();
  private int tasksPerThread = Integer.MAX_VALUE;
  private LoaderPool.WhenFull whenFull = LoaderPool.WhenFull.REJECT;
  private Thread.@Nullable UncaughtExceptionHandler onFailure;

  LoaderPoolBuilder() {}

  /**
   * Names the pool, for messages and thread names: {@code latchkey-NAME-1} and so on; {@code
   * loader} unless told.
   *
   * @param name the name
   * @return this builder
   * @throws NullPointerException if it is null
   */
  public LoaderPoolBuilder name(String name) {
    this.name = Objects.requireNonNull(name, "name");
    return this;
  }

  /**
   * Bounds the number of threads; 1,024 unless told. They are started when they are needed. A load
   * blocks its thread, so this is how many loads run at once. A load that waits for others that run
   * on the same pool, through their futures or with a time-out, holds a worker meanwhile: the bound
   * has to leave room for those.
   *
   * @param maximum how many, one or more
   * @return this builder
   * @throws IllegalArgumentException if it is less than one
   */
  public LoaderPoolBuilder workers(int maximum) {
    workers = positive("workers", maximum);
    return this;
  }

  /**
   * Bounds the number of tasks that wait while all workers work; 65,536 unless told. The queue
   * takes the memory of as many references as ever waited in it.
   *
   * @param capacity how many, zero or more; with zero a task that finds no worker is refused
   * @return this builder
   * @throws IllegalArgumentException if it is negative
   */
  public LoaderPoolBuilder queue(int capacity) {
    queue = (int) CacheBuilder.notNegative("queue", capacity);
    return this;
  }

  /**
   * A worker that had nothing to do for this long ends, at most an eighth later; ten seconds unless
   * told. When all have ended, the pool holds no thread.
   *
   * @param idle how long, zero or more; whoever gives more than 292 years means for ever
   * @return this builder
   * @throws NullPointerException if it is null
   * @throws IllegalArgumentException if it is negative
   */
  public LoaderPoolBuilder idleTime(Duration idle) {
    idleNanos = CacheBuilder.nanos("idleTime", idle);
    return this;
  }

  /**
   * A thread ends after this many tasks, and another one takes its place; never unless told. What
   * tasks do to their thread is undone for the next one anyway, but for thread-locals that they set
   * and do not remove, which Java gives no means to find. Where tasks cannot be trusted with that,
   * a 1 here gives each of them a thread of its own, at the price of starting one.
   *
   * @param tasks how many, one or more
   * @return this builder
   * @throws IllegalArgumentException if it is less than one
   */
  public LoaderPoolBuilder tasksPerThread(int tasks) {
    tasksPerThread = positive("tasksPerThread", tasks);
    return this;
  }

  /**
   * What {@link LoaderPool#execute} does with a task when all workers work and the queue is full;
   * {@link LoaderPool.WhenFull#REJECT} unless told.
   *
   * @param policy what
   * @return this builder
   * @throws NullPointerException if it is null
   */
  public LoaderPoolBuilder whenFull(LoaderPool.WhenFull policy) {
    whenFull = Objects.requireNonNull(policy, "whenFull");
    return this;
  }

  /**
   * Is told what tasks throw, on the thread that they ran on, which goes on with the next task
   * afterwards. Unless told, it is logged as a warning to the system logger {@code
   * io.latchkey.cache}. Loads of a cache throw nothing: their failures go to their callers.
   *
   * @param handler the handler; what it throws is dropped
   * @return this builder
   * @throws NullPointerException if it is null
   */
  public LoaderPoolBuilder onFailure(Thread.UncaughtExceptionHandler handler) {
    onFailure = Objects.requireNonNull(handler, "onFailure");
    return this;
  }

  /**
   * Builds the pool. Starts no thread.
   *
   * @return a pool, to be closed by the caller
   */
  public LoaderPool build() {
    return new LoaderPool(this);
  }

  private static int positive(String option, int value) {
    if (value < 1) {
      throw new IllegalArgumentException(option + " must be one or more, not " + value);
    }
    return value;
  }

  String name() {
    return name;
  }

  int workers() {
    return workers;
  }

  int queue() {
    return queue;
  }

  long idleNanos() {
    return idleNanos;
  }

  int tasksPerThread() {
    return tasksPerThread;
  }

  LoaderPool.WhenFull whenFull() {
    return whenFull;
  }

  Thread.@Nullable UncaughtExceptionHandler onFailure() {
    return onFailure;
  }
}
