package io.latchkey.storage.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Another process that runs a {@code main} of the tests, for what one process cannot show: locks,
 * kills, changes by others. It has the class path of the tests and at most 256 MB; its errors go to
 * those of the test. Used by one thread.
 */
public final class ChildJvm implements AutoCloseable {
  private final Process process;
  private final BufferedReader output;

  private ChildJvm(Process process) {
    this.process = process;
    this.output = process.inputReader();
  }

  /**
   * Starts the process.
   *
   * @param main a class with a public {@code main}
   * @param arguments what main is given
   * @return the process, to be closed
   * @throws IOException if it cannot be started
   */
  public static ChildJvm start(Class<?> main, String... arguments) throws IOException {
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

  /**
   * Waits for the next line that the child prints.
   *
   * @return the line; null after its end
   * @throws IOException if its output cannot be read
   */
  public @Nullable String line() throws IOException {
    return output.readLine();
  }

  /**
   * Gives the child a line to read. It may be called by another thread than the one that reads.
   *
   * @param line the line, without its end
   * @throws IOException if the child has ended
   */
  public void tell(String line) throws IOException {
    OutputStream input = process.getOutputStream();
    input.write((line + "\n").getBytes(UTF_8));
    input.flush();
  }

  /**
   * Closes the child's input, and waits for its end for 30 seconds.
   *
   * @return how it ended, 0 if well
   * @throws Exception if its input cannot be closed
   * @throws AssertionError if it does not end
   */
  public int finish() throws Exception {
    process.getOutputStream().close();
    if (!process.waitFor(30, TimeUnit.SECONDS)) {
      throw new AssertionError("the child process does not end");
    }
    return process.exitValue();
  }

  /**
   * Sends it a signal, by the command {@code kill} of POSIX systems.
   *
   * @param name {@code STOP}, {@code CONT}, {@code TERM} and others
   * @throws IOException if there is no such command
   * @throws InterruptedException if the thread was interrupted
   * @throws AssertionError if the command fails
   */
  public void signal(String name) throws IOException, InterruptedException {
    Process kill =
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).inheritIO().start();
    if (kill.waitFor() != 0) {
      throw new AssertionError("kill -" + name + " failed");
    }
  }

  /**
   * Kills it as {@code kill -9} does, and waits for its end; what it printed can still be read.
   *
   * @throws InterruptedException if the thread was interrupted
   */
  public void kill() throws InterruptedException {
    // Process.destroyForcibly would close the streams as well.
    process.toHandle().destroyForcibly();
    process.waitFor();
  }

  /** Kills it if it has not ended. If the thread is interrupted, it does not wait for the end. */
  @Override
  public void close() {
    try {
      kill();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
