package io.latchkey.storage.http;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** A line between client and server that can be cut, and mended. */
final class CutLine implements AutoCloseable {
  private final ServerSocket entry = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private final List<Socket> ends = new CopyOnWriteArrayList<>();
  private final int to;
  private volatile boolean refusing;

  CutLine(int to) throws IOException {
    this.to = to;
    start(this::accept);
  }

  int port() {
    return entry.getLocalPort();
  }

  /** Whether connections are closed as soon as they are made. */
  void refuse(boolean now) {
    refusing = now;
  }

  /** Ends all connections. */
  void cut() throws IOException {
    for (Socket end : ends) {
      end.close();
    }
    ends.clear();
  }

  private void accept() {
    try {
      while (true) {
        Socket client = entry.accept();
        if (refusing) {
          client.close();
          continue;
        }
        Socket server = connect();
        if (server == null) {
          client.close();
          continue;
        }
        ends.add(client);
        ends.add(server);
        start(() -> copy(client, server));
        start(() -> copy(server, client));
      }
    } catch (IOException e) {
      // Closed.
    }
  }

  /** Null if no server is there. */
  private @Nullable Socket connect() {
    try {
      return new Socket(InetAddress.getLoopbackAddress(), to);
    } catch (IOException e) {
      return null;
    }
  }

  private static void copy(Socket from, Socket to) {
    try (from;
        to;
        InputStream in = from.getInputStream()) {
      in.transferTo(to.getOutputStream());
    } catch (IOException e) {
      // Cut.
    }
  }

  private static void start(Runnable task) {
    Thread thread = new Thread(task, "line");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() throws IOException {
    entry.close();
    cut();
  }
}
