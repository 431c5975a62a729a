package io.latchkey.storage.redis;

class RedisFieldContractTest extends RedisStringContractTest {
  @Override
  String parameters() {
    return "&kind=hash&field=object";
  }
}
