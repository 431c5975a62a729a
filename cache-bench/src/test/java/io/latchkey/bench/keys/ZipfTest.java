package io.latchkey.bench.keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ZipfTest {
  private static final int DRAWS = 1_000_000;

  @ParameterizedTest(name = "{0} ranks, skew {1}")
  @CsvSource({"2, 1", "10, 0", "100, 0.5", "1000, 0.99", "1000, 2"})
  @DisplayName("draws each rank as often as the law says")
  void followsTheLaw(int ranks, double skew) {
    long[] drawn = draw(new Zipf(ranks, skew), ranks);

    double total = 0;
    for (int rank = 0; rank < ranks; rank++) {
      total += Math.pow(rank + 1, -skew);
    }
    double chiSquare = 0;
    for (int rank = 0; rank < ranks; rank++) {
      double expected = DRAWS * Math.pow(rank + 1, -skew) / total;
      chiSquare += (drawn[rank] - expected) * (drawn[rank] - expected) / expected;
    }
    // Its mean is the degrees of freedom and its variance twice that: five deviations above are
    // more than chance gives, and the seed is fixed.
    int freedom = ranks - 1;
    assertThat(chiSquare).isLessThan(freedom + 5 * Math.sqrt(2.0 * freedom));
  }

  @Test
  @DisplayName("two ranks of skew 1 are drawn 2 to 1")
  void isNotTheUniformOne() {
    long[] drawn = draw(new Zipf(2, 1), 2);
    assertThat((double) drawn[0] / drawn[1]).isBetween(1.98, 2.02);
  }

  @Test
  @DisplayName("one rank is always drawn")
  void oneRank() {
    assertThat(draw(new Zipf(1, 0.99), 1)[0]).isEqualTo(DRAWS);
  }

  @Test
  @DisplayName("the same seed draws the same ranks")
  void seeded() {
    Zipf zipf = new Zipf(50, 0.8);
    SplittableRandom one = new SplittableRandom(7);
    SplittableRandom other = new SplittableRandom(7);
    for (int i = 0; i < 1000; i++) {
      assertThat(zipf.next(one)).isEqualTo(zipf.next(other));
    }
  }

  @ParameterizedTest
  @ValueSource(doubles = {-0.1, Double.NaN, Double.POSITIVE_INFINITY})
  @DisplayName("refuses a skew that is none")
  void refusesSkew(double skew) {
    assertThatThrownBy(() -> new Zipf(10, skew))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("skew")
        .hasMessageContaining(String.valueOf(skew));
  }

  @Test
  @DisplayName("refuses to have no ranks")
  void refusesNoRanks() {
    assertThatThrownBy(() -> new Zipf(0, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("ranks")
        .hasMessageContaining("0");
  }

  private static long[] draw(Zipf zipf, int ranks) {
    SplittableRandom random = new SplittableRandom(42);
    long[] drawn = new long[ranks];
    for (int i = 0; i < DRAWS; i++) {
      drawn[zipf.next(random)]++;
    }
    return drawn;
  }
}
