package io.latchkey.bench.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class TableTest {
  @Test
  @DisplayName("the first column is flush left, the others flush right")
  void aligns() {
    Table table = new Table("name", "reads/s", "ratio");
    table.row("a", "1", "");
    table.row("longer", "1,234,567", "10x");
    assertThat(table.lines())
        .containsExactly(
            "  name      reads/s  ratio",
            "  ------------------------",
            "  a               1",
            "  longer  1,234,567    10x");
  }

  @Test
  @DisplayName("a row of another width is refused")
  void refuses() {
    Table table = new Table("a", "b");
    assertThatThrownBy(() -> table.row("1"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("2 cells");
  }
}
