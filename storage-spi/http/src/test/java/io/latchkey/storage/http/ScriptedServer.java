package io.latchkey.storage.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.storage.Codec;
import io.latchkey.storage.Storages;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A server whose every byte the test writes. */
final class ScriptedServer implements AutoCloseable {
  static final int PATIENCE_MILLIS = 10_000;

  private final ServerSocket socket;
  private final String scheme;

  ScriptedServer() throws IOException {
    this(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()), "http");
  }

  ScriptedServer(ServerSocket socket, String scheme) throws IOException {
    this.socket = socket;
    this.scheme = scheme;
    socket.setSoTimeout(PATIENCE_MILLIS);
  }

  /** A server at a port that was another one's. */
  static ScriptedServer at(int port) throws IOException {
    ServerSocket socket = new ServerSocket();
    socket.setReuseAddress(true);
    socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    return new ScriptedServer(socket, "http");
  }

  /** What the client asked. */
  record Asked(String line, Map<String, String> headers, byte[] body) {
    @Nullable String header(String name) {
      return headers.get(name.toLowerCase(Locale.ROOT));
    }
  }

  /** A storage, and the connection that it was opened by. */
  record Opened(HttpStorage<String, String> storage, Peer peer) implements AutoCloseable {
    @Override
    public void close() {
      storage.close();
    }
  }

  int port() {
    return socket.getLocalPort();
  }

  String url(String parameters) {
    return scheme + "://localhost:" + port() + "/base/?" + parameters;
  }

  /** Waits for the next connection. */
  Peer accept() throws IOException {
    return new Peer(socket.accept());
  }

  /** Opens a storage with one connection, unless the parameters say more. */
  Opened open(String capabilities, String parameters) throws Exception {
    String all = parameters.contains("connections=") ? parameters : "connections=1&" + parameters;
    FutureTask<HttpStorage<String, String>> opening =
        start(
            () -> {
              try {
                return storage(all);
              } catch (Throwable e) {
                socket.close(); // nobody will come
                throw e;
              }
            });
    Peer peer;
    try {
      peer = accept();
    } catch (IOException e) {
      opening.get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
      throw e;
    }
    assertThat(peer.next().line()).isEqualTo("GET /base/capabilities HTTP/1.1");
    peer.answer(200, capabilities);
    return new Opened(opening.get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS), peer);
  }

  HttpStorage<String, String> storage(String parameters) throws Exception {
    return (HttpStorage<String, String>) Storages.open(url(parameters), Codec.utf8(), Codec.utf8());
  }

  /** Runs something that waits for this server on a thread of its own. */
  static <T> FutureTask<T> start(Callable<T> call) {
    FutureTask<T> task = new FutureTask<>(call);
    Thread thread = new Thread(task, "caller");
    thread.setDaemon(true);
    thread.start();
    return task;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }

  /** One connection, seen from the server. */
  static final class Peer implements AutoCloseable {
    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;

    Peer(Socket socket) throws IOException {
      this.socket = socket;
      socket.setSoTimeout(PATIENCE_MILLIS);
      socket.setTcpNoDelay(true);
      in = new BufferedInputStream(socket.getInputStream());
      out = socket.getOutputStream();
    }

    /** Reads the next request. */
    Asked next() throws IOException {
      String first = line();
      Map<String, String> headers = new LinkedHashMap<>();
      for (String header = line(); !header.isEmpty(); header = line()) {
        int colon = header.indexOf(':');
        headers.put(
            header.substring(0, colon).toLowerCase(Locale.ROOT),
            header.substring(colon + 1).strip());
      }
      int length = Integer.parseInt(headers.getOrDefault("content-length", "0"));
      return new Asked(first, headers, in.readNBytes(length));
    }

    /** Reads the next request and checks what it is. */
    Asked next(String methodAndPath) throws IOException {
      Asked asked = next();
      assertThat(asked.line()).isEqualTo(methodAndPath + " HTTP/1.1");
      return asked;
    }

    private String line() throws IOException {
      StringBuilder line = new StringBuilder();
      for (int c = in.read(); c != '\n'; c = in.read()) {
        if (c < 0) {
          throw new EOFException("the client closed the connection after '" + line + "'");
        }
        line.append((char) c);
      }
      return line.substring(0, line.length() - 1); // without the CR
    }

    /** Waits until the client has closed the connection; what it sent before is skipped. */
    void awaitEnd() throws IOException {
      try {
        in.transferTo(OutputStream.nullOutputStream());
      } catch (SocketTimeoutException e) {
        throw new AssertionError("the client did not close the connection", e);
      } catch (IOException e) {
        // A reset is an end as well.
      }
    }

    /**
     * Checks that nothing has come beyond what was read. Whatever a wrong client would send, it
     * would have sent with what was read before, so a short look is enough and cannot fail a right
     * one.
     */
    void assertSilent() throws IOException {
      socket.setSoTimeout(50);
      try {
        assertThat(in.read()).as("a byte that the client should not have sent").isNegative();
      } catch (SocketTimeoutException e) {
        // Nothing, as it should be.
      } finally {
        socket.setSoTimeout(PATIENCE_MILLIS);
      }
    }

    void send(String text) throws IOException {
      send(text.getBytes(ISO_8859_1));
    }

    void send(byte[] bytes) throws IOException {
      out.write(bytes);
      out.flush();
    }

    void answer(int status, String body, String... headers) throws IOException {
      byte[] bytes = body.getBytes(UTF_8);
      StringBuilder head = new StringBuilder("HTTP/1.1 " + status + " Some Reason\r\n");
      for (String header : headers) {
        head.append(header).append("\r\n");
      }
      send(head + "Content-Length: " + bytes.length + "\r\n\r\n");
      send(bytes);
    }

    void absent() throws IOException {
      answer(404, "no such object", "X-Latchkey: absent");
    }

    /** Answers the request for the feed, and begins the events. */
    void beginFeed(String first) throws IOException {
      send(
          "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n"
              + "Transfer-Encoding: chunked"
              + "\r\n".repeat(2));
      chunk("retry: 10\n\n" + first);
    }

    void chunk(String text) throws IOException {
      send(Integer.toHexString(text.length()) + "\r\n" + text + "\r\n");
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }
}
