package io.latchkey.bench.memory;

import io.latchkey.bench.console.FailedRunException;
import io.latchkey.bench.console.Progress;
import io.latchkey.bench.forks.FreshJvm;
import io.latchkey.bench.peers.Implementation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Measures caches one after the other, each in a JVM of its own. */
public final class MemoryRun {
  private static final Duration PATIENCE = Duration.ofMinutes(10);
  private static final int MB_FIXED = 64;

  /** For keys, values, cache and the walk's own set, with room for the collector. */
  private static final int HEAP_PER_ENTRY = 900;

  private final List<Subject> subjects;
  private final int entries;

  /** A cache, without or with expiry. */
  public record Subject(Implementation implementation, boolean expiring) {
    Implementation variant() {
      Implementation variant = expiring ? implementation.expiring() : implementation;
      if (variant == null) {
        throw new IllegalArgumentException(implementation + " has no expiry");
      }
      return variant;
    }
  }

  /** Prepares a run over full caches of so many entries. */
  public MemoryRun(List<Subject> subjects, int entries) {
    this.subjects = List.copyOf(subjects);
    this.entries = entries;
  }

  /**
   * Measures all.
   *
   * @throws FailedRunException if one of the JVMs fails
   */
  public List<Retained> run(Progress progress) {
    List<Retained> results = new ArrayList<>();
    for (Subject subject : subjects) {
      FreshJvm jvm =
          new FreshJvm("memory of " + subject.variant().id(), MemoryProbe.class, flags(), PATIENCE);
      Retained retained =
          Retained.of(
              subject.implementation(),
              subject.expiring(),
              jvm.run(List.of(subject.variant().id(), String.valueOf(entries))));
      if (retained.entries() < entries / 2) {
        throw new FailedRunException(
            subject.variant().id() + " holds only " + retained.entries() + " of " + entries);
      }
      results.add(retained);
      progress.stepTo(results.size());
    }
    return results;
  }

  /** The serial collector can be made to leave no garbage: the used heap is what is reachable. */
  private List<String> flags() {
    long megabytes = MB_FIXED + (long) entries * HEAP_PER_ENTRY / (1 << 20);
    return List.of(
        "-XX:+UseSerialGC",
        "-Xmx" + megabytes + "m",
        "-Djol.magicFieldOffset=true"); // for fields of lambdas and records
  }
}
