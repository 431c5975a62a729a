package io.latchkey.storage.http.server;

import io.netty.util.ResourceLeakDetector;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Keeps what Netty's leak detector finds; named by a system property of the test run. */
public final class LeakRecorder<T> extends ResourceLeakDetector<T> {
  static final List<String> LEAKS = new CopyOnWriteArrayList<>();

  /** Called by Netty. */
  @SuppressWarnings("deprecation") // the constructor that Netty looks for calls this one
  public LeakRecorder(Class<T> type, int samplingInterval, long maxActive) {
    super(type, samplingInterval, maxActive);
  }

  /** Called by Netty. */
  @SuppressWarnings("deprecation") // the constructor that Netty looks for calls this one
  public LeakRecorder(Class<?> type, int samplingInterval) {
    super(type, samplingInterval);
  }

  @Override
  protected void reportTracedLeak(String resourceType, String records) {
    LEAKS.add(resourceType + records);
  }

  @Override
  protected void reportUntracedLeak(String resourceType) {
    LEAKS.add(resourceType);
  }
}
