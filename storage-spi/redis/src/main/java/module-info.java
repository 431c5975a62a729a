/** The storage on a Redis server or cluster, by Lettuce. */
module io.latchkey.storage.redis {
  requires transitive io.latchkey.storage;
  requires lettuce.core;
  requires io.netty.common;
  requires io.netty.resolver.dns; // Lettuce uses it, and cannot say so as it has no descriptor
  requires static org.jspecify;

  exports io.latchkey.storage.redis;

  provides io.latchkey.storage.StorageProvider with
      io.latchkey.storage.redis.RedisStorageProvider,
      io.latchkey.storage.redis.RedissStorageProvider;
}
