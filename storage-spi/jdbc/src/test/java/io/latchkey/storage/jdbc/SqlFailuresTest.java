package io.latchkey.storage.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.sql.SQLException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What callers read when a driver says little. */
class SqlFailuresTest {
  private static final String VAGUE = "An I/O error occurred while sending to the backend.";

  @Test
  @DisplayName("A clear message stands alone")
  void clear() {
    SQLException e = new SQLException("no such column: x", "42703", new IOException("inner"));
    assertThat(SqlFailures.detail(e)).isEqualTo("no such column: x");
  }

  @Test
  @DisplayName("A vague message is followed by its cause, down to the one that is clear")
  void vague() {
    assertThat(SqlFailures.detail(new SQLException(VAGUE, "08006", new SocketException("reset"))))
        .isEqualTo("An I/O error occurred while sending to the backend: reset");
    SQLException attempt =
        new SQLException(
            "The connection attempt failed.", "08001", new ConnectException("Connection refused"));
    assertThat(
            SqlFailures.detail(
                new SQLException("HikariPool-1 - Connection is not available", attempt)))
        .isEqualTo(
            "HikariPool-1 - Connection is not available: The connection attempt failed:"
                + " Connection refused");
  }

  @Test
  @DisplayName("Exceptions without a message are named, and never as null")
  void silent() {
    assertThat(SqlFailures.detail(new SQLException(VAGUE, "08006", new EOFException())))
        .isEqualTo(
            "An I/O error occurred while sending to the backend:"
                + " the server has ended the connection");
    assertThat(SqlFailures.detail(new SQLException(VAGUE, "08006", new SocketException())))
        .isEqualTo("An I/O error occurred while sending to the backend: SocketException");
    assertThat(SqlFailures.detail(new SQLException(null, "08006", null)))
        .isEqualTo("the driver says SQLSTATE 08006");
    assertThat(SqlFailures.detail(new SQLException(VAGUE, "08006", new SQLException())))
        .isEqualTo(VAGUE);
  }

  @Test
  @DisplayName("It is one line, and ends where causes go in circles")
  void oneLine() {
    assertThat(SqlFailures.detail(new SQLException("ERROR: first\n  Hint: second\r\n")))
        .isEqualTo("ERROR: first; Hint: second");
    SQLException one = new SQLException("attempt failed: one");
    SQLException two = new SQLException("attempt failed: two", one);
    one.initCause(two);
    assertThat(SqlFailures.detail(one)).startsWith("attempt failed: one: attempt failed: two");
  }
}
