package io.latchkey.bench.http;

import io.latchkey.bench.console.FailedRunException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * One connection of the load generator. It counts responses by their bytes: all responses to one
 * target have the length of the first one, and each has to begin with the right status.
 */
final class LoadClient implements AutoCloseable {
  private static final int STATUS_AT = "HTTP/1.1 ".length();

  final SocketChannel channel;
  private final Target target;
  private final ByteBuffer out;
  private final ByteBuffer in = ByteBuffer.allocateDirect(256 * 1024);
  private final byte[] status;
  private int responseLength;

  /** How many bytes of the present response have come. */
  private int position;

  LoadClient(int port, Target target, int depth) throws IOException {
    this.target = target;
    this.out = ByteBuffer.allocateDirect(Math.max(depth, 64) * target.length());
    this.status =
        Integer.toString(target.status()).getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    channel = SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    learn();
    channel.configureBlocking(false);
  }

  /** Reads one response to know the length of all. */
  private void learn() throws IOException {
    StringBuilder text = new StringBuilder();
    target.put(out, 0);
    out.flip();
    channel.write(out);
    out.clear();
    int headEnd = -1;
    while (headEnd < 0) {
      readSome();
      in.flip();
      while (in.hasRemaining()) {
        text.append((char) in.get());
      }
      in.clear();
      headEnd = text.indexOf("\r\n\r\n");
    }
    String field = "content-length: ";
    int length = text.indexOf(field) + field.length();
    responseLength =
        headEnd + 4 + Integer.parseInt(text.substring(length, text.indexOf("\r\n", length)));
    int rest = responseLength - text.length();
    while (rest > 0) {
      readSome();
      rest -= in.position();
      in.clear();
    }
    if (rest < 0 || !text.substring(STATUS_AT).startsWith("" + target.status())) {
      throw new FailedRunException("the server answered " + target.label() + " with " + text);
    }
  }

  private void readSome() throws IOException {
    if (channel.read(in) < 0) {
      throw new FailedRunException("the server ended a connection");
    }
  }

  /** Sends requests; the socket has room for them, since few are under way. */
  void send(long firstNumber, int count) throws IOException {
    out.clear();
    for (int i = 0; i < count; i++) {
      target.put(out, firstNumber + i);
    }
    out.flip();
    while (out.hasRemaining()) {
      channel.write(out);
    }
  }

  /** Reads what is there, and returns how many responses have become complete. */
  int receive() throws IOException {
    int complete = 0;
    int read;
    do {
      in.clear();
      read = channel.read(in);
      if (read < 0) {
        throw new FailedRunException("the server ended a connection");
      }
      complete += count(read);
    } while (read == in.capacity());
    return complete;
  }

  private int count(int read) {
    int complete = 0;
    int at = -position; // where in the buffer the present response begins
    while (at < read) {
      for (int i = 0; i < status.length; i++) {
        int index = at + STATUS_AT + i;
        if (index >= 0 && index < read && in.get(index) != status[i]) {
          throw new FailedRunException("the server answered " + target.label() + " with an error");
        }
      }
      if (at + responseLength > read) {
        break;
      }
      at += responseLength;
      complete++;
    }
    position = read - at;
    return complete;
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
