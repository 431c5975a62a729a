package io.latchkey.storage.rocksdb;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Another process that runs a {@code main} of the tests, for what one process cannot show. */
final class ChildJvm implements AutoCloseable {
  private final Process process;
  private final BufferedReader output;

  private ChildJvm(Process process) {
    this.process = process;
    this.output = process.inputReader();
  }

  static ChildJvm start(Class<?> main, String... arguments) throws IOException {
    // Surefire hides the class path in the manifest of a jar, and tells the real one here.
    String classPath =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx256m", "-XX:+UseSerialGC", "-cp", classPath, main.getName()));
    command.addAll(List.of(arguments));
    return new ChildJvm(
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
  }

  /** The next line that the child printed; null after its end. */
  @Nullable String line() throws IOException {
    return output.readLine();
  }

  /** Lets the child, which reads its input, go on to its end; returns how it ended. */
  int finish() throws Exception {
    process.getOutputStream().close();
    if (!process.waitFor(30, TimeUnit.SECONDS)) {
      throw new AssertionError("the child process does not end");
    }
    return process.exitValue();
  }

  /** Kills it as {@code kill -9} does, and waits for its end; what it printed can still be read. */
  void kill() throws InterruptedException {
    // Process.destroyForcibly would close the streams as well.
    process.toHandle().destroyForcibly();
    process.waitFor();
  }

  @Override
  public void close() throws InterruptedException {
    kill();
  }
}
