package io.latchkey.storage.http.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import java.security.MessageDigest;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Who may use the server: whoever knows the token, and scripts of which web pages. */
final class Access {
  /** A scheme, a host and perhaps a port, as in RFC 6454, section 6.2. */
  private static final Pattern ORIGIN = Pattern.compile("[a-z][a-z0-9+.-]*://[^\\s/?#,@\\\\]+");

  private final byte @Nullable [] token;
  private final @Nullable String origin;
  private final boolean guarded;

  /**
   * Who has to send what.
   *
   * @param token what clients have to send, or null
   * @param origin where web pages come from that may use the server, {@code *} for anywhere, or
   *     null
   * @param local whether only programs of this machine reach the server, its browser among them
   */
  Access(byte @Nullable [] token, @Nullable String origin, boolean local) {
    this.token = token;
    this.origin = origin;
    this.guarded = local && token == null && !"*".equals(origin);
  }

  /** The origin, if it is one, or {@code *}. */
  static String origin(String origin) {
    if (!origin.equals("*") && !ORIGIN.matcher(origin).matches()) {
      throw new IllegalArgumentException(
          "allowOrigin must be * or an origin such as https://app.example.org, not " + origin);
    }
    return origin;
  }

  /** Whether the request has the token, if one is asked for. */
  boolean isAuthorized(HttpRequest request) {
    if (token == null) {
      return true;
    }
    String field = request.headers().get(HttpHeaderNames.AUTHORIZATION);
    String scheme = "Bearer ";
    return field != null
        && field.regionMatches(true, 0, scheme, 0, scheme.length())
        && MessageDigest.isEqual(token, field.substring(scheme.length()).strip().getBytes(UTF_8));
  }

  /**
   * Whether a browser asks under a host name that is neither this machine's nor allowed. The owner
   * of a page can have its name lead here once the page is loaded, whose scripts then take this
   * server for their own ("DNS rebinding"). Programs that are no browsers may use any name.
   */
  boolean isRebound(HttpRequest request) {
    HttpHeaders headers = request.headers();
    String host = headers.get(HttpHeaderNames.HOST);
    return guarded
        && host != null
        && !isAddress(host)
        && (headers.contains("sec-fetch-site") || headers.contains(HttpHeaderNames.ORIGIN))
        && !isLocalName(host)
        && (origin == null || !origin.endsWith("://" + host));
  }

  /** No name, so nobody can have it lead elsewhere. */
  private static boolean isAddress(String host) {
    for (int i = 0; i < host.length(); i++) {
      char c = host.charAt(i);
      if ((c < '0' || c > '9') && c != '.' && c != ':') {
        return c == '[';
      }
    }
    return true;
  }

  private static boolean isLocalName(String host) {
    int colon = host.indexOf(':');
    String name = (colon < 0 ? host : host.substring(0, colon)).toLowerCase(Locale.ROOT);
    return name.equals("localhost") || name.endsWith(".localhost"); // RFC 6761, section 6.3
  }

  /** Header fields of every response, each ended by CRLF; they do not depend on the request. */
  String fields() {
    return origin == null
        ? ""
        : "access-control-allow-origin: "
            + origin
            + "\r\naccess-control-expose-headers: etag, x-latchkey\r\n";
  }

  /**
   * Whether a browser asks what scripts may do here. It never sends the token with that.
   *
   * @see <a href="https://fetch.spec.whatwg.org/#cors-preflight-fetch">CORS-preflight fetch</a>
   */
  boolean isPreflight(HttpRequest request) {
    return origin != null
        && request.method().equals(HttpMethod.OPTIONS)
        && request.headers().contains(HttpHeaderNames.ACCESS_CONTROL_REQUEST_METHOD);
  }

  FixedAnswer preflight(Target target) {
    return FixedAnswer.bodiless(
        204,
        "access-control-allow-methods: "
            + target.allowed
            + "\r\naccess-control-allow-headers: authorization, content-type, if-match,"
            + " if-none-match, last-event-id\r\naccess-control-max-age: 600\r\n");
  }
}
