package io.latchkey.cache.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openjdk.jol.datamodel.Model64;
import org.openjdk.jol.info.ClassLayout;
import org.openjdk.jol.layouters.HotSpotLayouter;
import org.openjdk.jol.layouters.Layouter;

/** The size of what there is for each key, in the model of a usual heap. */
class EntryLayoutTest {
  private static final Layouter COMPRESSED =
      new HotSpotLayouter(new Model64(true, true), Runtime.version().feature());

  private static long size(Class<?> type) {
    return ClassLayout.parseClass(type, COMPRESSED).instanceSize();
  }

  @ParameterizedTest
  @CsvSource({"Entry, 32", "TimedEntry, 40", "WeighedEntry, 40", "ExpiringEntry, 72", "Reload, 40"})
  @DisplayName("An entry is as small as its kind allows")
  void entries(String type, long bytes) throws ClassNotFoundException {
    Class<?> entry = Class.forName("io.latchkey.cache.internal." + type);
    assertThat(size(entry))
        .as(() -> ClassLayout.parseClass(entry, COMPRESSED).toPrintable())
        .isEqualTo(bytes);
  }

  @Test
  @DisplayName("A thread that waits costs 40 bytes at most")
  void waiter() {
    assertThat(size(Waiter.OfThread.class)).isLessThanOrEqualTo(40);
    assertThat(size(Waiter.OfBulk.class)).isLessThanOrEqualTo(40);
  }
}
