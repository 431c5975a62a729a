package io.latchkey.bench.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.latchkey.bench.console.FailedRunException;
import io.latchkey.storage.Codec;
import io.latchkey.storage.Storage;
import io.latchkey.storage.http.server.Buffers;
import io.latchkey.storage.http.server.HttpCacheServer;
import io.latchkey.storage.http.server.Transport;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * A server in a JVM of its own, which ends with the standard input that it is given. There is an
 * object under every key, made from nothing, and room in the cache for few of them.
 */
public final class ServedProcess implements AutoCloseable {
  private final Process process;
  private final int port;

  private ServedProcess(Process process, int port) {
    this.process = process;
    this.port = port;
  }

  /** Starts a server and waits until it can be reached. */
  static ServedProcess start(ServerOptions options) {
    return start(ServedProcess.class, options.arguments());
  }

  /** Starts a class whose {@code main} prints the port that it listens on. */
  static ServedProcess start(Class<?> main, List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx512m", "-cp", System.getProperty("java.class.path")));
    if (Runtime.version().feature() >= 24) {
      command.addAll(
          1,
          List.of("--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow"));
    }
    command.add(main.getName());
    command.addAll(arguments);
    String what = "the server " + String.join(" ", arguments);
    Process process = null;
    try {
      process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
      BufferedReader out = process.inputReader(UTF_8);
      String line = out.readLine();
      if (line == null) {
        throw new FailedRunException(what + " did not start: see its complaint");
      }
      return new ServedProcess(process, Integer.parseInt(line));
    } catch (IOException | NumberFormatException e) {
      if (process != null) {
        process.destroyForcibly();
      }
      throw new FailedRunException(what, e);
    }
  }

  int port() {
    return port;
  }

  /** How much time its threads have worked so far. */
  long cpuNanos() {
    return process.info().totalCpuDuration().map(java.time.Duration::toNanos).orElse(0L);
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }

  /** The server's side. */
  public static void main(String[] arguments) throws Exception {
    ServerOptions options = ServerOptions.of(arguments);
    byte[] value = new byte[options.valueSize()];
    Arrays.fill(value, (byte) 'x');
    Storage<String, byte[]> storage = key -> value;
    try (HttpCacheServer server =
        HttpCacheServer.over(storage, Codec.utf8(), Codec.bytes())
            .transport(Transport.valueOf(options.transport().toUpperCase(Locale.ROOT)))
            .workers(options.workers())
            .buffers(Buffers.valueOf(options.buffers().toUpperCase(Locale.ROOT)))
            .maximumBytes(1 << 20)
            .start()) {
      System.out.println(server.port());
      System.out.flush();
      while (System.in.read() >= 0) {
        // Until the one who started it is gone.
      }
    }
  }
}
