package io.latchkey.bench.console;

import java.util.Locale;

/** The machine and the JVM that measure. */
public final class Machine {
  private Machine() {}

  /** Cores, JVM, heap limit and system in one line. */
  public static String describe() {
    Runtime runtime = Runtime.getRuntime();
    return String.format(
        Locale.ROOT,
        "%d cores, %s %s, heap up to %,d MB, %s %s",
        runtime.availableProcessors(),
        System.getProperty("java.vm.name"),
        System.getProperty("java.vm.version"),
        runtime.maxMemory() >> 20,
        System.getProperty("os.name"),
        System.getProperty("os.arch"));
  }
}
