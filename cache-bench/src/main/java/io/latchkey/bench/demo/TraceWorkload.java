package io.latchkey.bench.demo;

import io.latchkey.bench.console.Figures;
import io.latchkey.bench.keys.Trace;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;

/** Reads replayed from a trace, from start to end, by all threads together. */
final class TraceWorkload implements Workload {
  /** Threads take their reads by so many, so that the order stays but for the neighbourhood. */
  private static final int TAKEN_AT_ONCE = 32;

  private final Trace trace;
  private final String name;
  private final long seed;

  TraceWorkload(Trace trace, String name, long seed) {
    this.trace = trace;
    this.name = name;
    this.seed = seed;
  }

  @Override
  public int objects() {
    return trace.objects();
  }

  @Override
  public boolean finite() {
    return true;
  }

  @Override
  public long length() {
    return trace.length();
  }

  @Override
  public Pass pass(int round) {
    AtomicInteger taken = new AtomicInteger();
    return thread -> new Share(taken);
  }

  /** Random reads of the trace, so that popular objects are updated more often. */
  @Override
  public Reads updates(int round) {
    SplittableRandom random = new SplittableRandom(seed + round);
    return () -> trace.key(random.nextInt(trace.length()));
  }

  @Override
  public String describe() {
    return "replayed from "
        + name
        + ": "
        + Figures.count(trace.length())
        + " reads, each pass from an empty cache";
  }

  private final class Share implements Reads {
    private final AtomicInteger taken;
    private int position;
    private int end;

    Share(AtomicInteger taken) {
      this.taken = taken;
    }

    @Override
    public int next() {
      if (position == end) {
        position = taken.getAndUpdate(this::after);
        end = after(position);
        if (position == end) {
          return END;
        }
      }
      return trace.key(position++);
    }

    private int after(int start) {
      return start + Math.min(TAKEN_AT_ONCE, trace.length() - start);
    }
  }
}
