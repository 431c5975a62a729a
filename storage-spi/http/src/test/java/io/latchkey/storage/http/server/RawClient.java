package io.latchkey.storage.http.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** A socket that sends what a test says, byte by byte, and reads responses. */
final class RawClient implements AutoCloseable {
  private static final int PATIENCE_MILLIS = 30_000;

  final Socket socket;
  private final InputStream in;

  /** What came back. */
  record Response(int status, Map<String, String> fields, String body) {
    String field(String name) {
      return fields.getOrDefault(name, "");
    }
  }

  RawClient(Socket socket) throws IOException {
    this.socket = socket;
    socket.setSoTimeout(PATIENCE_MILLIS);
    socket.setTcpNoDelay(true);
    in = new BufferedInputStream(socket.getInputStream());
  }

  static RawClient to(HttpCacheServer server) throws IOException {
    return new RawClient(new Socket(InetAddress.getLoopbackAddress(), server.port()));
  }

  RawClient send(String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(ISO_8859_1));
    return this;
  }

  /** A request without a body; more fields each end with CRLF. */
  static String request(String method, String path, String fields) {
    return method + " " + path + " HTTP/1.1\r\nHost: localhost\r\n" + fields + "\r\n";
  }

  static String get(String path) {
    return request("GET", path, "");
  }

  static String put(String path, String fields, String body) {
    return request("PUT", path, fields + "Content-Length: " + body.length() + "\r\n") + body;
  }

  /** Sends one request and reads its response. */
  Response ask(String request) throws IOException {
    send(request);
    return read(!request.startsWith("HEAD"));
  }

  Response read() throws IOException {
    return read(true);
  }

  private Response read(boolean withBody) throws IOException {
    String statusLine = line();
    int status = Integer.parseInt(statusLine.split(" ")[1]);
    Map<String, String> fields = new LinkedHashMap<>();
    for (String line = line(); !line.isEmpty(); line = line()) {
      int colon = line.indexOf(':');
      String name = line.substring(0, colon).toLowerCase(Locale.ROOT);
      if (fields.put(name, line.substring(colon + 1).strip()) != null) {
        throw new IOException("the field " + name + " came twice");
      }
    }
    int length = withBody ? Integer.parseInt(fields.getOrDefault("content-length", "0")) : 0;
    return new Response(status, fields, new String(bytes(length), ISO_8859_1));
  }

  /** A line without its end. */
  String line() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int b = in.read(); b != '\n'; b = in.read()) {
      if (b < 0) {
        throw new EOFException("the connection ended after '" + line.toString(ISO_8859_1) + "'");
      }
      if (b != '\r') {
        line.write(b);
      }
    }
    return line.toString(ISO_8859_1);
  }

  byte[] bytes(int length) throws IOException {
    byte[] bytes = in.readNBytes(length);
    if (bytes.length < length) {
      throw new EOFException(bytes.length + " bytes came of " + length);
    }
    return bytes;
  }

  /** Whether the server has ended the connection, and nothing else comes. */
  boolean isAtEnd() throws IOException {
    return in.read() < 0;
  }

  /** The next event of the feed, without its empty line and without chunks. */
  String event() throws IOException {
    line(); // the length of the chunk
    StringBuilder event = new StringBuilder();
    for (String line = line(); !line.isEmpty(); line = line()) {
      event.append(line).append('\n');
    }
    line(); // the end of the chunk
    return event.toString();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
