package io.latchkey.storage.redis;

import io.latchkey.storage.StorageException;
import io.latchkey.storage.StorageUrl;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslVerifyMode;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Which servers a URL names and as whom to log in there: {@code redis://USER:PASSWORD@HOST:PORT/0}.
 * Taken apart here and not by Lettuce, whose messages show the password where it is misread.
 *
 * @param name the URL without credentials and parameters
 * @param nodes the servers, at least one
 * @param secrets what no message may show
 */
record RedisUrl(String name, List<RedisURI> nodes, List<String> secrets) {
  private static final int DEFAULT_PORT = 6379;
  private static final int MAX_PORT = 65_535;

  @Override
  public String toString() {
    return name; // the nodes know the password
  }

  static RedisUrl of(StorageUrl url) throws StorageException {
    url.allowParameters(
        "prefix",
        "kind",
        "hash",
        "field",
        "ttl",
        "timeout",
        "heartbeat",
        "cluster",
        "feed",
        "verifyPeer");
    return of(url, url.flag("cluster", false));
  }

  /** The parameters are looked at by the caller, but for how a certificate is verified. */
  static RedisUrl of(StorageUrl url, boolean cluster) throws StorageException {
    return new Reading(url, cluster).read();
  }

  /** The reading of one URL. */
  private static final class Reading {
    final StorageUrl url;
    final boolean cluster;

    Reading(StorageUrl url, boolean cluster) {
      this.url = url;
      this.cluster = cluster;
    }

    RedisUrl read() throws StorageException {
      // Not the decoded location: an escaped @ or / belongs to the password.
      String rest = url.uri().getRawSchemeSpecificPart();
      int query = rest.indexOf('?');
      rest = query < 0 ? rest : rest.substring(0, query);
      if (!rest.startsWith("//")) {
        throw refused("two slashes are missing: write " + url.scheme() + "://localhost:6379/0");
      }
      rest = rest.substring(2);
      int slash = rest.indexOf('/');
      String authority = slash < 0 ? rest : rest.substring(0, slash);
      String path = slash < 0 ? "" : rest.substring(slash + 1);
      if (path.indexOf('@') >= 0) {
        throw refused("the database is no number: in a user or password write / as %2F, @ as %40");
      }
      int at = authority.lastIndexOf('@');
      Login login = Login.of(at < 0 ? "" : authority.substring(0, at));
      int database = database(path);
      if (database > 0 && cluster) {
        throw refused("a cluster has only the database 0: leave the database out");
      }
      List<RedisURI> nodes = new ArrayList<>();
      for (String host : authority.substring(at + 1).split(",", -1)) {
        nodes.add(node(host, login, database));
      }
      if (nodes.size() > 1 && !cluster) {
        throw refused("only a cluster has several hosts: name one, or add cluster=true");
      }
      return new RedisUrl(
          url.toString(), nodes, login.password.isEmpty() ? List.of() : List.of(login.password));
    }

    private int database(String path) throws StorageException {
      if (path.isEmpty()) {
        return 0;
      }
      try {
        int number = Integer.parseInt(path);
        if (number >= 0) {
          return number;
        }
      } catch (NumberFormatException e) {
        // It is refused below.
      }
      throw refused(
          "the database is '" + path + "': write a number, as in " + url.scheme() + "://HOST/0");
    }

    private RedisURI node(String text, Login login, int database) throws StorageException {
      int bracket = text.indexOf(']');
      int colon = text.indexOf(':', bracket + 1);
      String host = colon < 0 ? text : text.substring(0, colon);
      String port = colon < 0 ? "" : text.substring(colon + 1);
      if (host.startsWith("[") && host.endsWith("]")) {
        host = host.substring(1, host.length() - 1);
      }
      if (host.isEmpty()) {
        throw refused("the host is missing: write " + url.scheme() + "://localhost:6379/0");
      }
      RedisURI.Builder builder =
          RedisURI.builder()
              .withHost(decode(host))
              .withPort(port(host, port))
              .withDatabase(database)
              .withTimeout(Duration.ofSeconds(5)); // replaced by the options'
      if (!login.password.isEmpty()) {
        if (login.user.isEmpty()) {
          builder.withPassword(login.password.toCharArray());
        } else {
          builder.withAuthentication(login.user, login.password.toCharArray());
        }
      }
      String verify = url.parameters().get("verifyPeer");
      if (url.scheme().equals("rediss")) {
        builder.withSsl(true).withVerifyPeer(verifyMode(verify));
      } else if (verify != null) {
        throw refused("verifyPeer is for TLS: leave it out, or write rediss for redis");
      }
      return builder.build();
    }

    private int port(String host, String text) throws StorageException {
      if (text.isEmpty()) {
        return DEFAULT_PORT;
      }
      try {
        int port = Integer.parseInt(text);
        if (port >= 1 && port <= MAX_PORT) {
          return port;
        }
      } catch (NumberFormatException e) {
        // It is refused below. It is not shown: it may be a password before a forgotten host.
      }
      String name = url.scheme() + "://" + host;
      throw new StorageException(
          name, "cannot open " + name + ": the port is no number from 1 to 65535", null, false);
    }

    private SslVerifyMode verifyMode(@Nullable String given) throws StorageException {
      if (given == null) {
        return SslVerifyMode.FULL;
      }
      for (SslVerifyMode mode : SslVerifyMode.values()) {
        if (mode.name().toLowerCase(Locale.ROOT).equals(given)) {
          return mode;
        }
      }
      throw refused("verifyPeer is '" + given + "': write none, ca or full");
    }

    private StorageException refused(String why) {
      return new StorageException(url.toString(), "cannot open " + url + ": " + why, null, false);
    }
  }

  /**
   * A user, who may be the default one and is then empty, and a password, empty if there is none.
   */
  private record Login(String user, String password) {
    /** As Lettuce and redis-cli read it: what stands alone is the password. */
    static Login of(String raw) {
      int colon = raw.indexOf(':');
      return colon < 0
          ? new Login("", decode(raw))
          : new Login(decode(raw.substring(0, colon)), decode(raw.substring(colon + 1)));
    }
  }

  /** Escapes are well-formed in what comes out of a {@link java.net.URI}. */
  private static String decode(String raw) {
    byte[] bytes = raw.getBytes(StandardCharsets.UTF_8);
    int length = 0;
    for (int i = 0; i < bytes.length; i++) {
      if (bytes[i] == '%') {
        bytes[length++] =
            (byte) (Character.digit(bytes[i + 1], 16) << 4 | Character.digit(bytes[i + 2], 16));
        i += 2;
      } else {
        bytes[length++] = bytes[i];
      }
    }
    return new String(Arrays.copyOf(bytes, length), StandardCharsets.UTF_8);
  }
}
