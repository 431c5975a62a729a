package io.latchkey.cache.internal;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The load of one flight on the executor. */
final class LoadTask extends Task {
  private final Launcher launcher;
  private @Nullable Entry entry;

  /** A task whose flight is made with it as its token, and told by {@link #entry(Entry)}. */
  LoadTask(Launcher launcher, Purpose purpose) {
    super(purpose);
    this.launcher = launcher;
  }

  void entry(Entry flight) {
    entry = flight;
  }

  Entry entry() {
    return Objects.requireNonNull(entry);
  }

  @Override
  boolean runClaimed() {
    return launcher.lead(this);
  }

  @Override
  void interrupted() {
    launcher.goOn(this);
  }

  @Override
  void expire() {
    launcher.timedOut(entry());
  }

  @Override
  void refused(@Nullable Throwable refusal, boolean full) {
    launcher.refused(this, refusal, full);
  }
}
