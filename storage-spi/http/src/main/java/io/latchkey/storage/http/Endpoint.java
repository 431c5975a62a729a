package io.latchkey.storage.http;

import io.latchkey.storage.StorageException;
import io.latchkey.storage.StorageUrl;
import java.net.URI;
import org.jspecify.annotations.Nullable;

/**
 * Where the server is.
 *
 * @param name the URL without parameters, for people
 * @param secure whether it is spoken to by TLS
 * @param host a name or an address, IPv6 addresses without brackets
 * @param port the port
 * @param authority what the header {@code Host} says
 * @param base the path of the server's root, escaped, with a slash at both ends
 */
record Endpoint(String name, boolean secure, String host, int port, String authority, String base) {
  private static final int HTTP_PORT = 80;
  private static final int HTTPS_PORT = 443;

  static Endpoint of(StorageUrl url) throws StorageException {
    URI uri = url.uri();
    boolean secure = url.scheme().equals("https");
    if (!secure && !url.scheme().equals("http")) {
      throw refused(url, "it is neither http: nor https:");
    }
    @Nullable String host = uri.getHost();
    if (uri.getRawAuthority() != null && uri.getRawAuthority().indexOf('@') >= 0) {
      throw refused(
          url, "a user or password before the @ is not sent: give the server's token as ?token=…");
    }
    if (host == null || uri.getPort() > 0xffff || uri.getPort() == 0) {
      throw refused(
          url, "it names no host: write for example " + url.scheme() + "://localhost:8080/");
    }
    int standard = secure ? HTTPS_PORT : HTTP_PORT;
    int port = uri.getPort() < 0 ? standard : uri.getPort();
    String path = uri.getRawPath();
    if (!path.chars().allMatch(c -> c > ' ' && c < 0x7f)) {
      throw refused(url, "its path holds a character that has to be escaped: write it as %XX");
    }
    return new Endpoint(
        url.toString(),
        secure,
        host.startsWith("[") ? host.substring(1, host.length() - 1) : host,
        port,
        port == standard ? host : host + ":" + port,
        path.endsWith("/") ? path : path + "/");
  }

  private static StorageException refused(StorageUrl url, String why) {
    return new StorageException(url.toString(), "cannot open " + url + ": " + why, null, false);
  }

  StorageException failure(String message, @Nullable Throwable cause, boolean retryable) {
    return new StorageException(name, message, cause, retryable);
  }

  StorageException closed() {
    return failure(name + " is closed: open it again to use it", null, false);
  }
}
