package io.latchkey.bench.console;

/** Shows how far a job is. Used by one thread; {@link #close} ends the display. */
public interface Progress extends AutoCloseable {
  /** Tells how many units of the job are done, counted from its start. */
  void stepTo(long done);

  @Override
  void close();
}
