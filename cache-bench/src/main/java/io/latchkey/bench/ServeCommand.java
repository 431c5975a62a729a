package io.latchkey.bench;

import io.latchkey.bench.console.BadInputException;
import io.latchkey.bench.console.FailedRunException;
import io.latchkey.bench.console.Screen;
import io.latchkey.cache.CacheException;
import io.latchkey.storage.StorageException;
import io.latchkey.storage.StorageUrl;
import io.latchkey.storage.http.server.HttpCacheServer;
import io.latchkey.storage.http.server.HttpCacheServerBuilder;
import io.latchkey.storage.http.server.Transport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code serve}: a storage for other processes. */
@Command(
    name = "serve",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Serves the objects of a storage over HTTP/1.1, through a cache, until it is told to stop"
          + " (SIGTERM or Ctrl-C): then it answers what was asked and ends. When it can be reached it"
          + " prints one line with its URL.",
      "",
    },
    footer = {
      "",
      "A token for clients to send comes from --token-file or the environment, LATCHKEY_TOKEN.",
      "",
      "Example: latchkey-bench serve --storage mvstore:objects.db --port 7070",
      "Then: curl -X PUT --data-binary hello http://127.0.0.1:7070/objects/greeting",
      "      curl http://127.0.0.1:7070/objects/greeting",
      "      curl -N http://127.0.0.1:7070/changes",
    })
final class ServeCommand implements Callable<Integer> {
  private static final String TOKEN_VARIABLE = "LATCHKEY_TOKEN";
  private static final int MEGABYTE = 1 << 20;

  private final Screen screen;

  @Option(
      names = "--storage",
      paramLabel = "URL",
      required = true,
      description = "The storage, as in mvstore:FILE or memory:.")
  private String url = "";

  @Option(
      names = "--port",
      paramLabel = "N",
      defaultValue = "7070",
      description = "The port; 0 for a free one (${DEFAULT-VALUE}).")
  private int port;

  @Option(
      names = "--host",
      paramLabel = "ADDRESS",
      defaultValue = "127.0.0.1",
      description = "The address to listen on (${DEFAULT-VALUE}).")
  private String host = "";

  @Option(
      names = "--token-file",
      paramLabel = "FILE",
      description = "Ask clients for the token in the first line of this file.")
  private @Nullable Path tokenFile;

  @Option(
      names = "--allow-origin",
      paramLabel = "ORIGIN",
      description =
          "Let scripts of web pages from there use the server, as in https://app.example.org; * for"
              + " anywhere.")
  private @Nullable String origin;

  @Option(
      names = "--tls-cert",
      paramLabel = "FILE",
      description = "Serve HTTPS with the certificates in this PEM file.")
  private @Nullable Path certificates;

  @Option(
      names = "--tls-key",
      paramLabel = "FILE",
      description = "The PKCS#8 private key of the certificate, PEM, without a password.")
  private @Nullable Path privateKey;

  @Option(
      names = "--workers",
      paramLabel = "N",
      description = "Threads that serve connections (half of the processors, 4 at most).")
  private @Nullable Integer workers;

  @Option(
      names = "--transport",
      paramLabel = "KIND",
      defaultValue = "auto",
      description = "auto, nio, epoll or io_uring (${DEFAULT-VALUE}).")
  private Transport transport = Transport.AUTO;

  @Option(
      names = "--memory",
      paramLabel = "MB",
      description = "What the cached objects may take (a quarter of the heap).")
  private @Nullable Integer memory;

  @Option(
      names = "--absent",
      paramLabel = "SECONDS",
      description = "Remember for so long that there is no object under a key (0).")
  private @Nullable Integer absent;

  ServeCommand(Screen screen) {
    this.screen = screen;
  }

  @Override
  public Integer call() {
    CountDownLatch stopped = new CountDownLatch(1);
    HttpCacheServer server = start();
    Thread end =
        new Thread(
            () -> {
              server.close();
              stopped.countDown();
            },
            "latchkey-serve-end");
    Runtime.getRuntime().addShutdownHook(end);
    screen.out().println("serving " + StorageUrl.redact(url) + " at " + server.url());
    screen.out().flush();
    try {
      stopped.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      server.close();
      Runtime.getRuntime().removeShutdownHook(end);
    }
    return 0;
  }

  private HttpCacheServer start() {
    try {
      return configured().start();
    } catch (IllegalArgumentException e) {
      throw new BadInputException(String.valueOf(e.getMessage()), e);
    } catch (StorageException e) {
      throw new BadInputException("--storage: " + e.getMessage(), e);
    } catch (CacheException e) {
      throw new FailedRunException("--storage: " + e.getMessage());
    }
  }

  private HttpCacheServerBuilder configured() {
    HttpCacheServerBuilder server =
        HttpCacheServer.over(url).host(host).port(port).transport(transport);
    if (workers != null) {
      server.workers(workers);
    }
    if (memory != null) {
      if (memory < 0) {
        throw new BadInputException("--memory must be from 0, not " + memory);
      }
      server.maximumBytes((long) memory * MEGABYTE);
    }
    if (absent != null) {
      server.cacheAbsentFor(Duration.ofSeconds(absent));
    }
    if (origin != null) {
      server.allowOrigin(origin);
    }
    String token = token();
    if (token != null) {
      server.token(token);
    }
    if (certificates != null && privateKey != null) {
      server.tls(certificates, privateKey);
    } else if (certificates != null || privateKey != null) {
      throw new BadInputException("--tls-cert and --tls-key need each other: give both");
    }
    return server;
  }

  private @Nullable String token() {
    if (tokenFile == null) {
      return System.getenv(TOKEN_VARIABLE);
    }
    try {
      return Files.readString(tokenFile).lines().findFirst().orElse("");
    } catch (NoSuchFileException e) {
      throw new BadInputException("--token-file: " + tokenFile + " does not exist", e);
    } catch (IOException e) {
      throw new BadInputException("--token-file: cannot read " + tokenFile + ": " + e, e);
    }
  }
}
