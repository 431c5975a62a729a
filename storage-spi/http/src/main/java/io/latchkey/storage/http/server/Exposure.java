package io.latchkey.storage.http.server;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** Warns of a server that others can reach and that does not ask who they are. */
final class Exposure {
  private static final System.Logger LOG = System.getLogger("io.latchkey.storage.http");

  private Exposure() {}

  static void warn(String host, boolean token, boolean tls) {
    if ((token && tls) || isLoopback(host)) {
      return;
    }
    LOG.log(
        System.Logger.Level.WARNING,
        "the server listens on {0} without {1}: whoever reaches it {2}",
        host,
        token ? "TLS" : "a token",
        token ? "can be listened to" : "can read and write all objects");
  }

  /** Whether only programs of this machine reach a server that listens there. */
  static boolean isLoopback(String host) {
    try {
      return InetAddress.getByName(host).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return false; // listening will fail and tell it
    }
  }
}
