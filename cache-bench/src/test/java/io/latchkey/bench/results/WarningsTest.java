package io.latchkey.bench.results;

import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.bench.console.Screen;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class WarningsTest {
  private final StringWriter err = new StringWriter();
  private final Warnings warnings =
      new Warnings(Screen.of(new PrintWriter(new StringWriter()), new PrintWriter(err)), () -> 0);

  @Test
  @DisplayName("warns of a spread of more than 10 %, on the screen and in the list")
  void spread() {
    warnings.checkSpread("narrow", List.of(100.0, 95.0, 109.0));
    assertThat(warnings.list()).isEmpty();
    warnings.checkSpread("wide", List.of(100.0, 100.0, 112.0));
    assertThat(warnings.list())
        .containsExactly("wide: the forks differ by up to 12.0 % from their median");
    assertThat(err.toString()).startsWith("warning: wide: ");
  }

  @Test
  @DisplayName("warns once of many figures")
  void spreads() {
    warnings.checkSpreads("waking", "forks", List.of(List.of(1.0, 1.0), List.of(5.0)));
    assertThat(warnings.list()).isEmpty();
    warnings.checkSpreads(
        "waking", "forks", List.of(List.of(1.0, 2.0), List.of(5.0), List.of(1.0, 3.0)));
    assertThat(warnings.list())
        .containsExactly("waking: of 2 in 3 figures the forks differ by more than 10.0 %");
  }

  @Test
  @DisplayName("warns of a loaded machine, before and after")
  void load() {
    Warnings busy =
        new Warnings(
            Screen.of(new PrintWriter(new StringWriter()), new PrintWriter(err)), () -> 0.42);
    busy.end();
    assertThat(busy.list())
        .containsExactly(
            "other work took 42.0 % of the machine before the run",
            "other work took 42.0 % of the machine after the run");
  }

  @Test
  @DisplayName("a system that does not tell its load is not warned of")
  void unknownLoad() {
    new Warnings(
        Screen.of(new PrintWriter(new StringWriter()), new PrintWriter(err)), () -> Double.NaN);
    assertThat(err.toString()).isEmpty();
  }
}
