package io.latchkey.storage.http.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import java.security.MessageDigest;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Who may use the server: whoever knows the token, and scripts of which web pages. */
final class Access {
  /** A scheme, a host and perhaps a port, as in RFC 6454, section 6.2. */
  private static final Pattern ORIGIN = Pattern.compile("[a-z][a-z0-9+.-]*://[^\\s/?#,@\\\\]+");

  private final byte @Nullable [] token;
  private final @Nullable String origin;

  /**
   * Who has to send what.
   *
   * @param token what clients have to send, or null
   * @param origin where web pages come from that may use the server, {@code *} for anywhere, or
   *     null
   */
  Access(byte @Nullable [] token, @Nullable String origin) {
    this.token = token;
    this.origin = origin;
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
