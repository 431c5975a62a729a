package io.latchkey.storage.redis;

import io.latchkey.storage.redis.Layout.Scope;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What the names of all Redis keys begin with, before the bytes of the object's key. */
record Prefix(byte[] bytes) {
  byte[] name(byte[] key) {
    if (bytes.length == 0) {
      return key;
    }
    byte[] name = Arrays.copyOf(bytes, bytes.length + key.length);
    System.arraycopy(key, 0, name, bytes.length, key.length);
    return name;
  }

  List<byte[]> names(List<byte[]> keys) {
    List<byte[]> names = new ArrayList<>(keys.size());
    for (byte[] key : keys) {
      names.add(name(key));
    }
    return names;
  }

  Scope scope(byte[] name) {
    return name.length >= bytes.length
            && Arrays.equals(name, 0, bytes.length, bytes, 0, bytes.length)
        ? Scope.ONE
        : Scope.NONE;
  }

  byte[] key(byte[] name) {
    return Arrays.copyOfRange(name, bytes.length, name.length);
  }
}
