package io.latchkey.storage;

/** A feed subscription; closing it ends the events. */
public interface Subscription extends AutoCloseable {
  @Override
  void close();
}
