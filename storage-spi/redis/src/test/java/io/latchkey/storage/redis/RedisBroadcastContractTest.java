package io.latchkey.storage.redis;

class RedisBroadcastContractTest extends RedisStringContractTest {
  @Override
  String parameters() {
    return "&feed=broadcast";
  }
}
