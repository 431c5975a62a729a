package io.latchkey.storage.redis;

class RedisUnwatchedContractTest extends RedisStringContractTest {
  @Override
  String parameters() {
    return "&feed=none";
  }
}
