package io.latchkey.bench.forks;

import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import io.latchkey.bench.console.FailedRunException;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A JVM of its own for one measurement: the same Java and class path as this one, and nothing of
 * what this one has compiled, allocated or loaded.
 */
public final class FreshJvm {
  private static final int UNSAFE_WARNS_FROM = 23;

  private final String activity;
  private final Class<?> main;
  private final List<String> flags;
  private final Duration patience;

  /**
   * Describes a JVM to start.
   *
   * @param activity what it does, for messages
   * @param main has the {@code main} method, which ends with {@link #answer}
   * @param flags of the JVM
   * @param patience after which it is ended as stuck
   */
  public FreshJvm(String activity, Class<?> main, List<String> flags, Duration patience) {
    this.activity = activity;
    this.main = main;
    this.flags = flags;
    this.patience = patience;
  }

  /** Called in the fresh JVM: hands the result over. */
  public static void answer(JsonObject result) {
    System.out.println(result);
    System.out.flush();
  }

  /**
   * Starts the JVM and waits for its answer.
   *
   * @throws FailedRunException if it fails, is stuck or gives no answer; its first line of
   *     complaint is in the message
   */
  public JsonObject run(List<String> arguments) {
    Path out = null;
    Path err = null;
    try {
      out = Files.createTempFile("latchkey-bench", ".out");
      err = Files.createTempFile("latchkey-bench", ".err");
      int exit = run(command(arguments), out, err);
      if (exit != 0) {
        throw new FailedRunException(activity + " failed: " + complaint(err, exit));
      }
      return answerIn(Files.readString(out));
    } catch (IOException e) {
      throw new FailedRunException(activity, e);
    } finally {
      delete(out);
      delete(err);
    }
  }

  private int run(List<String> command, Path out, Path err) throws IOException {
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .redirectInput(ProcessBuilder.Redirect.from(nothing()))
            .start();
    try {
      if (!process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new FailedRunException(
            activity + " failed: no answer after " + patience.toSeconds() + " s");
      }
      return process.exitValue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FailedRunException(activity, e);
    } finally {
      process.destroyForcibly();
    }
  }

  private static File nothing() {
    return new File(System.getProperty("os.name").startsWith("Windows") ? "NUL" : "/dev/null");
  }

  private List<String> command(List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(flags);
    if (Runtime.version().feature() >= UNSAFE_WARNS_FROM) {
      command.add("--sun-misc-unsafe-memory-access=allow");
    }
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(main.getName());
    command.addAll(arguments);
    return command;
  }

  private static String complaint(Path err, int exit) throws IOException {
    return new String(Files.readAllBytes(err), StandardCharsets.UTF_8)
        .lines()
        .filter(line -> !line.isBlank() && !line.startsWith("WARNING:"))
        .findFirst()
        .map(line -> line.replaceFirst("^Exception in thread \"[^\"]*\" ", ""))
        .orElse("its JVM ended with " + exit);
  }

  private JsonObject answerIn(String out) {
    List<String> lines = out.lines().toList();
    try {
      return JsonParser.parseString(lines.get(lines.size() - 1)).getAsJsonObject();
    } catch (JsonParseException | IllegalStateException | IndexOutOfBoundsException e) {
      throw new FailedRunException(activity + " failed: its JVM gave no answer");
    }
  }

  private static void delete(@Nullable Path file) {
    if (file != null) {
      file.toFile().delete();
    }
  }
}
