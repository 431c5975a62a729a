package io.latchkey.storage.redis;

class RedisFieldTtlContractTest extends RedisStringContractTest {
  @Override
  String parameters() {
    return "&field=object&ttl=PT1H";
  }
}
