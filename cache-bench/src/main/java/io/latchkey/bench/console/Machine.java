package io.latchkey.bench.console;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/** The machine and the JVM that measure. */
public final class Machine {
  private static final Path CPUS = Path.of("/proc/cpuinfo");

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

  /** What to store with results: processor, cores, memory, JVM, its flags, and the system. */
  public static Map<String, String> facts() {
    Runtime runtime = Runtime.getRuntime();
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("cpu", processor());
    facts.put("cores", String.valueOf(runtime.availableProcessors()));
    facts.put("memory", megabytes(memory()));
    facts.put("heap", megabytes(runtime.maxMemory()));
    facts.put(
        "jvm", System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"));
    facts.put("flags", String.join(" ", ManagementFactory.getRuntimeMXBean().getInputArguments()));
    facts.put(
        "system",
        System.getProperty("os.name")
            + " "
            + System.getProperty("os.version")
            + " "
            + System.getProperty("os.arch"));
    return facts;
  }

  private static String megabytes(long bytes) {
    return String.format(Locale.ROOT, "%,d MB", bytes >> 20);
  }

  private static long memory() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system
        ? system.getTotalMemorySize()
        : 0;
  }

  /** The name that Linux gives it; elsewhere the architecture has to do. */
  private static String processor() {
    if (Files.isReadable(CPUS)) {
      try (Stream<String> lines = Files.lines(CPUS, StandardCharsets.ISO_8859_1)) {
        return lines
            .filter(line -> line.startsWith("model name"))
            .map(line -> line.substring(line.indexOf(':') + 1).strip())
            .findFirst()
            .orElse(System.getProperty("os.arch"));
      } catch (IOException e) {
        // Nice to know, no more.
      }
    }
    return System.getProperty("os.arch");
  }
}
