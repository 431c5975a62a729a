package io.latchkey.bench.pool;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/** Open connections of this process to itself, over the loopback interface. */
final class Connections implements AutoCloseable {
  private final List<Socket> near = new ArrayList<>();
  private final List<Socket> far = new ArrayList<>();

  Connections(int count) {
    try (ServerSocket server = new ServerSocket(0, count, InetAddress.getLoopbackAddress())) {
      for (int i = 0; i < count; i++) {
        Socket socket = new Socket(server.getInetAddress(), server.getLocalPort());
        near.add(socket);
        // Closed by a reset, so that its port is free again at once.
        socket.setSoLinger(true, 0);
        far.add(server.accept());
      }
    } catch (IOException e) {
      close();
      throw new UncheckedIOException("cannot open " + count + " connections to this machine", e);
    }
  }

  /** Those from this place on, so many. */
  Socket[] part(int from, int count) {
    return near.subList(from, from + count).toArray(Socket[]::new);
  }

  /** Closes what is open still. */
  @Override
  public void close() {
    try {
      for (Socket socket : near) {
        socket.close();
      }
      for (Socket socket : far) {
        socket.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
