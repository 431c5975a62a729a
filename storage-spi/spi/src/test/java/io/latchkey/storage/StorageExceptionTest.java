package io.latchkey.storage;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.channels.ClosedChannelException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class StorageExceptionTest {
  @Test
  @DisplayName("A failure without a message is told by its name, never as null")
  void reason() {
    assertThat(StorageException.reason(new IOException("reset by peer")))
        .isEqualTo("reset by peer");
    assertThat(StorageException.reason(new ClosedChannelException()))
        .isEqualTo("ClosedChannelException");
    assertThat(StorageException.reason(new BufferUnderflowException()))
        .isEqualTo("BufferUnderflowException");
    assertThat(StorageException.reason(new IOException(" "))).isEqualTo("IOException");
    assertThat(StorageException.reason(new IOException() {})).startsWith("StorageExceptionTest$");
  }

  @Test
  @DisplayName("Neither the message nor the name has credentials")
  void credentials() {
    StorageException e =
        new StorageException(
            "x://ada:secret@host/", "cannot open x://ada:secret@host/", null, true);
    assertThat(e.getMessage() + e.storage() + e).doesNotContain("secret").contains("host");
  }
}
