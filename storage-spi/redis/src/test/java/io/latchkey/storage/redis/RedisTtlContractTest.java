package io.latchkey.storage.redis;

class RedisTtlContractTest extends RedisStringContractTest {
  @Override
  String parameters() {
    return "&ttl=PT1H";
  }
}
