package io.latchkey.storage.mvstore;

import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * A file in memory that remembers every write, so that a test can look at the file as a crash after
 * any of them would leave it.
 */
final class RecordedFile implements FileBytes {
  /** The unit in which an operating system writes: a crash leaves whole ones only. */
  private static final int PAGE = 4096;

  private static final byte[] NOTHING = {};

  private final List<Step> steps = new ArrayList<>();
  private byte[] current = NOTHING;

  /** What {@link #afterKill} made last, to go on from: it is mostly asked in rising order. */
  private byte[] built = NOTHING;

  private int builtSteps;

  /**
   * One thing done to the file: bytes written, or cut off at a position, or the disk waited for.
   */
  private static final class Step {
    final long position;
    final byte[] data;
    final boolean cut;
    final boolean force;

    private Step(long position, byte[] data, boolean cut, boolean force) {
      this.position = position;
      this.data = data;
      this.cut = cut;
      this.force = force;
    }

    byte[] applyTo(byte[] contents) {
      if (cut) {
        return position < contents.length ? Arrays.copyOf(contents, (int) position) : contents;
      }
      int end = (int) position + data.length;
      byte[] target = end > contents.length ? Arrays.copyOf(contents, end) : contents;
      System.arraycopy(data, 0, target, (int) position, data.length);
      return target;
    }
  }

  /** A file that holds these bytes. */
  static RecordedFile of(byte[] contents) {
    RecordedFile file = new RecordedFile();
    file.current = contents.clone();
    return file;
  }

  @Override
  public synchronized void read(long position, byte[] target) throws IOException {
    if (position + target.length > current.length) {
      throw new EOFException("the file ends at " + current.length);
    }
    System.arraycopy(current, (int) position, target, 0, target.length);
  }

  @Override
  public synchronized void write(long position, byte[] source, int offset, int length) {
    int done = 0;
    while (done < length) {
      long at = position + done;
      int part = (int) Math.min(length - done, PAGE - at % PAGE);
      byte[] data = Arrays.copyOfRange(source, offset + done, offset + done + part);
      add(new Step(at, data, false, false));
      done += part;
    }
  }

  @Override
  public synchronized long size() {
    return current.length;
  }

  @Override
  public synchronized void truncate(long size) {
    add(new Step(size, NOTHING, true, false));
  }

  @Override
  public synchronized void force() {
    add(new Step(0, NOTHING, false, true));
  }

  private void add(Step step) {
    steps.add(step);
    current = step.applyTo(current);
  }

  @Override
  public void close() {}

  /** How many steps were recorded. */
  synchronized int steps() {
    return steps.size();
  }

  /** The file as a process that is killed after this many steps leaves it. */
  synchronized byte[] afterKill(int count) {
    if (count < builtSteps) {
      builtSteps = 0;
      built = NOTHING;
    }
    while (builtSteps < count) {
      built = steps.get(builtSteps++).applyTo(built);
    }
    return built.clone();
  }

  /**
   * The file as a power failure after this many steps may leave it: what was written since the disk
   * was last waited for is there or not, each page by chance.
   */
  synchronized byte[] afterPowerFailure(int count, Random random) {
    int forced = count;
    while (forced > 0 && !steps.get(forced - 1).force) {
      forced--;
    }
    byte[] contents = afterKill(forced);
    for (Step step : steps.subList(forced, count)) {
      if (random.nextBoolean()) {
        contents = step.applyTo(contents);
      }
    }
    return contents;
  }
}
