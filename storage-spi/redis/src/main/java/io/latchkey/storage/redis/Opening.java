package io.latchkey.storage.redis;

import io.latchkey.storage.StorageException;
import io.lettuce.core.cluster.RedisClusterClient;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** What is made on the way to a storage; all of it is closed if that does not come to be. */
final class Opening {
  final RedisUrl url;
  final RedisOptions options;
  final Layout layout;
  final Failures failures;
  final Clients clients;
  final Server server;

  Opening(RedisUrl url, RedisOptions options) {
    this.url = url;
    this.options = options;
    this.layout = Layout.of(options);
    this.failures = new Failures(url.name(), url.secrets(), layout.type(), options.timeout());
    url.nodes().forEach(node -> node.setTimeout(options.timeout()));
    this.clients = new Clients(url.nodes(), options);
    RedisClusterClient cluster = clients.cluster();
    this.server =
        cluster == null
            ? new SingleServer(clients.single(), url.nodes().get(0), failures)
            : new ClusterServer(cluster, failures);
  }

  /** Connects for the first time, so that whoever opens a storage learns that it is there. */
  void connect() throws StorageException {
    try {
      var unused = server.session().get(options.timeout().toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw failures.connecting(e);
    } catch (TimeoutException e) {
      throw failures.timedOut("connect to");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StorageException(
          url.name(), "cannot open " + url.name() + ": interrupted while connecting", e, true);
    }
  }

  void abandon() {
    server.close();
    clients.close();
  }
}
