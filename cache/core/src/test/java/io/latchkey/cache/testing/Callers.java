package io.latchkey.cache.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Starts calls in threads of their own and knows which of them wait. */
public final class Callers {
  private final ThreadFactory threads;
  private final List<Caller<?>> all = new CopyOnWriteArrayList<>();

  /** Callers on daemon threads of the platform. */
  public Callers() {
    this(platform());
  }

  /** Callers on threads of this factory. */
  public Callers(ThreadFactory threads) {
    this.threads = threads;
  }

  private static ThreadFactory platform() {
    AtomicInteger number = new AtomicInteger();
    return task -> {
      Thread thread = new Thread(task, "caller-" + number.incrementAndGet());
      thread.setDaemon(true);
      return thread;
    };
  }

  /** Starts the call. */
  public <T> Caller<T> start(Callable<? extends @Nullable T> call) {
    return start(new Caller<T>(threads, call, false));
  }

  /** Starts the call in a thread whose interrupt flag is already set. */
  public <T> Caller<T> startInterrupted(Callable<? extends @Nullable T> call) {
    return start(new Caller<T>(threads, call, true));
  }

  /** Starts an action that has no result. */
  public Caller<Object> run(Runnable action) {
    return start(
        () -> {
          action.run();
          return null;
        });
  }

  /** Starts the call and waits until it is parked. */
  public <T> Caller<T> startParked(Callable<? extends @Nullable T> call) {
    return this.<T>start(call).awaitParked();
  }

  /** Starts the call this many times and waits until all of them are parked. */
  public <T> List<Caller<T>> startParked(int count, Callable<? extends @Nullable T> call) {
    List<Caller<T>> started = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      started.add(start(call));
    }
    for (Caller<T> caller : started) {
      caller.awaitParked();
    }
    return started;
  }

  private <T> Caller<T> start(Caller<T> caller) {
    all.add(caller);
    caller.start();
    return caller;
  }

  /** Does this with every caller started so far. */
  public void forEach(Consumer<Caller<?>> action) {
    all.forEach(action);
  }
}
