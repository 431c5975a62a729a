package io.latchkey.storage.redis;

import static org.junit.jupiter.api.Assumptions.abort;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import redis.embedded.core.ExecutableProvider;

/**
 * A Redis server on a free port of the loopback interface. Its program is that of the system
 * property {@code latchkey.redis}, the one in Maven's artifact, or the one on the path, the first
 * that runs. Where there is none the tests are skipped and say so, or fail if the system property
 * {@code latchkey.servers} is {@code required}. No server outlives the JVM.
 */
final class RedisServer implements AutoCloseable {
  private static final Set<Process> RUNNING = Collections.newSetFromMap(new ConcurrentHashMap<>());
  private static @Nullable String program;

  static {
    Runtime.getRuntime()
        .addShutdownHook(new Thread(() -> RUNNING.forEach(Process::destroyForcibly)));
  }

  private final int port;
  private final Path folder;
  private final List<String> command;
  private final RedisURI uri;
  private final RedisClient client = RedisClient.create();
  private Process process;
  private @Nullable StatefulRedisConnection<String, String> connection;

  private RedisServer(@Nullable String password, boolean tls, String... settings) throws Exception {
    this.port = freePort();
    this.folder = Files.createTempDirectory("latchkey-redis");
    this.command = new ArrayList<>();
    command.add(program());
    command.addAll(List.of("--bind", "127.0.0.1", "--dir", folder.toString()));
    command.addAll(List.of("--save", "", "--appendonly", "no"));
    command.addAll(List.of("--port", tls ? "0" : Integer.toString(port)));
    if (tls) {
      command.addAll(List.of("--tls-port", Integer.toString(port), "--tls-auth-clients", "no"));
    }
    command.addAll(List.of(settings));
    RedisURI.Builder builder =
        RedisURI.builder().withHost("127.0.0.1").withPort(port).withSsl(tls).withVerifyPeer(false);
    if (password != null) {
      command.addAll(List.of("--requirepass", password));
      builder.withPassword(password.toCharArray());
    }
    this.uri = builder.build();
    this.process = launch();
  }

  /** Starts a server, to be closed; settings as on its command line. */
  static RedisServer start(String... settings) throws Exception {
    return new RedisServer(null, false, settings);
  }

  static RedisServer startWithPassword(String password) throws Exception {
    return new RedisServer(password, false);
  }

  /** Starts a server that talks over TLS only. */
  static RedisServer startWithTls(Path certificate, Path key) throws Exception {
    return new RedisServer(
        null,
        true,
        "--tls-cert-file",
        certificate.toString(),
        "--tls-key-file",
        key.toString(),
        "--tls-ca-cert-file",
        certificate.toString());
  }

  /** A port that nobody listens on, nor on the one that a cluster's node takes besides. */
  static int freePort() throws IOException {
    while (true) {
      try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
        int port = socket.getLocalPort();
        if (port < 55_000) {
          try (ServerSocket bus =
              new ServerSocket(port + 10_000, 1, InetAddress.getLoopbackAddress())) {
            return bus.getLocalPort() - 10_000;
          } catch (IOException e) {
            // Taken; another one then.
          }
        }
      }
    }
  }

  private static synchronized String program() {
    List<String> candidates = new ArrayList<>();
    String given = System.getProperty("latchkey.redis");
    if (program == null && given != null) {
      candidates.add(given);
    } else if (program == null) {
      try {
        File extracted = ExecutableProvider.newJarResourceProvider().get();
        candidates.add(extracted.getAbsolutePath());
      } catch (IOException | RuntimeException e) {
        // None for this platform.
      }
      candidates.add("redis-server");
    }
    for (String candidate : candidates) {
      if (runs(candidate)) {
        program = candidate;
        break;
      }
    }
    if (program == null) {
      String message =
          "No Redis server runs here ("
              + candidates
              + "), so its tests are skipped: on Debian, apt-get install redis-server";
      if ("required".equals(System.getProperty("latchkey.servers"))) {
        throw new AssertionError(message);
      }
      return abort(message);
    }
    return program;
  }

  private static boolean runs(String candidate) {
    try {
      Process process =
          new ProcessBuilder(candidate, "--version")
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      return process.waitFor(10, TimeUnit.SECONDS) && process.exitValue() == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Starts the process and waits until it says that it is ready. */
  private Process launch() throws Exception {
    Process started =
        new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start();
    RUNNING.add(started);
    var output = started.inputReader();
    StringBuilder log = new StringBuilder();
    for (String line = output.readLine(); line != null; line = output.readLine()) {
      log.append(line).append('\n');
      if (line.contains("eady to accept connections")) {
        Thread drain = new Thread(() -> output.lines().forEach(ignored -> {}), "redis-log");
        drain.setDaemon(true);
        drain.start();
        return started;
      }
    }
    throw new AssertionError("the server did not start: " + log);
  }

  int port() {
    return port;
  }

  /** The URL without credentials. */
  String url() {
    return "redis://127.0.0.1:" + port;
  }

  /** The commands of a third party, by a raw connection that is made anew when it is broken. */
  synchronized RedisCommands<String, String> commands() {
    if (connection == null || !connection.isOpen()) {
      connection = client.connect(uri);
    }
    return connection.sync();
  }

  /** Sends a signal to the process: {@code STOP}, {@code CONT}, … */
  void signal(String signal) throws Exception {
    Process kill =
        new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid())).inheritIO().start();
    if (kill.waitFor() != 0) {
      throw new AssertionError("kill -" + signal + " failed");
    }
  }

  /** Ends the process as {@code kill -9} does. */
  void kill() throws Exception {
    process.destroyForcibly().waitFor();
    RUNNING.remove(process);
  }

  /** Starts the server that was killed again, on the same port. */
  void restart() throws Exception {
    process = launch();
  }

  @Override
  public void close() throws Exception {
    client.shutdown(0, 2, TimeUnit.SECONDS);
    kill();
    deleteFolder();
  }

  private void deleteFolder() throws IOException {
    try (var files = Files.walk(folder)) {
      for (Path file : files.sorted(java.util.Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }
}
