package io.latchkey.bench.results;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** How busy the machine is. */
final class MachineLoad {
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

  private MachineLoad() {}

  /**
   * The share of all cores that is taken now, by whomever, from 0 to 1; to be asked while this
   * process does nothing. Takes 0.3 s. NaN where the system does not tell.
   */
  static double now() {
    if (!(ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system)) {
      return Double.NaN;
    }
    system.getCpuLoad(); // the first answer is about no time at all
    long end = System.nanoTime() + LOOK_NANOS;
    for (long left = LOOK_NANOS; left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
    double load = system.getCpuLoad();
    return load < 0 ? Double.NaN : load;
  }
}
