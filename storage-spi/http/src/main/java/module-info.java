/** Storages and caches over HTTP: the client and the server. */
module io.latchkey.storage.http {
  requires transitive io.latchkey.storage;
  requires static transitive io.latchkey.cache; // the server only
  requires io.netty.buffer;
  requires io.netty.codec;
  requires io.netty.codec.http;
  requires io.netty.common;
  requires io.netty.handler;
  requires io.netty.transport;
  requires static io.netty.transport.classes.epoll;
  requires static io.netty.transport.classes.io_uring;
  requires static org.jspecify;

  exports io.latchkey.storage.http;
  exports io.latchkey.storage.http.server;

  provides io.latchkey.storage.StorageProvider with
      io.latchkey.storage.http.HttpStorageProvider,
      io.latchkey.storage.http.HttpsStorageProvider;
}
