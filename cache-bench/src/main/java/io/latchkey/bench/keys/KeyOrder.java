package io.latchkey.bench.keys;

import io.latchkey.bench.console.BadInputException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * The order in which a benchmark asks for keys: {@code seq}, {@code uniform}, {@code collide},
 * {@code zipf:SKEW}, {@code trace:FILE} or {@code trace:FORMAT:FILE}.
 */
public final class KeyOrder {
  private static final String UNIFORM = "uniform";
  private static final String COLLIDE = "collide";
  private static final String ZIPF = "zipf";
  private static final String TRACE = "trace:";
  private static final double USUAL_SKEW = 0.99;
  private static final long SEED = 42;
  private static final int DRAWN = 1 << 18;

  private final String id;
  private final double skew;
  private final @Nullable Trace trace;

  private KeyOrder(String id, double skew, @Nullable Trace trace) {
    this.id = id;
    this.skew = skew;
    this.trace = trace;
  }

  /** Reads an order as it is written on the command line, and its trace if it has one. */
  public static KeyOrder of(String id) {
    if (id.equals("seq") || id.equals(UNIFORM) || id.equals(COLLIDE)) {
      return new KeyOrder(id, 0, null);
    }
    if (id.equals(ZIPF)) {
      return new KeyOrder(ZIPF + ":" + USUAL_SKEW, USUAL_SKEW, null);
    }
    if (id.startsWith(ZIPF + ":")) {
      return new KeyOrder(id, skew(id), null);
    }
    if (id.startsWith(TRACE)) {
      return new KeyOrder(id, 0, trace(id.substring(TRACE.length())));
    }
    throw new BadInputException(
        "unknown keys '" + id + "': use seq, uniform, collide, zipf, zipf:SKEW or trace:FILE");
  }

  private static double skew(String id) {
    try {
      double skew = Double.parseDouble(id.substring(ZIPF.length() + 1));
      if (skew >= 0 && skew <= 10) {
        return skew;
      }
    } catch (NumberFormatException e) {
      // Told below, as a number out of range is.
    }
    throw new BadInputException("keys '" + id + "' need a skew from 0 to 10, as in zipf:0.99");
  }

  private static Trace trace(String file) {
    Optional<TraceFormat> named =
        Arrays.stream(TraceFormat.values())
            .filter(format -> file.startsWith(format.id() + ":"))
            .findFirst();
    return named.isPresent()
        ? TraceFile.read(Path.of(file.substring(named.get().id().length() + 1)), named.get())
        : TraceFile.read(Path.of(file), TraceFormat.LIRS);
  }

  /** As written on the command line, with the skew. */
  public String id() {
    return id;
  }

  /** Whether each key comes once before any comes again. */
  public boolean eachOnce() {
    return !id.startsWith(ZIPF) && trace == null;
  }

  /** Whether the keys all have one hash. */
  public boolean collides() {
    return id.equals(COLLIDE);
  }

  /** Whether the keys are those of a trace. */
  public boolean isTrace() {
    return trace != null;
  }

  /** How many objects are asked for: those of the trace, or as many as are asked for here. */
  public int objects(int wanted) {
    return trace != null ? trace.objects() : wanted;
  }

  /**
   * Indexes from 0 to size less one in this order; to be repeated when it is used up. Of a trace
   * the size is the number of its objects.
   */
  public int[] indexes(int size) {
    if (trace != null) {
      int[] indexes = new int[trace.length()];
      Arrays.setAll(indexes, trace::key);
      return indexes;
    }
    if (id.equals(UNIFORM) || id.equals(COLLIDE)) {
      return Permutation.of(size, SEED);
    }
    int[] indexes = new int[eachOnce() ? size : Math.max(size, DRAWN)];
    if (eachOnce()) {
      for (int i = 0; i < size; i++) {
        indexes[i] = i;
      }
      return indexes;
    }
    Zipf zipf = new Zipf(size, skew);
    int[] indexOfRank = Permutation.of(size, SEED);
    SplittableRandom random = new SplittableRandom(SEED);
    for (int i = 0; i < indexes.length; i++) {
      indexes[i] = indexOfRank[zipf.next(random)];
    }
    return indexes;
  }

  @Override
  public String toString() {
    return id;
  }
}
