package io.latchkey.storage.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class InboxTest {
  private static final List<byte[]> ONE = List.of(new byte[] {1});

  @Test
  void eventsComeInTheirOrder() throws Exception {
    Inbox inbox = new Inbox();
    inbox.changed(ONE);
    inbox.changed(ONE);
    assertThat(inbox.poll(0)).isInstanceOf(Inbox.Changed.class);
    inbox.changedAll();
    assertThat(inbox.poll(0)).isInstanceOf(Inbox.All.class);
    inbox.changed(ONE);
    assertThat(inbox.poll(0)).isInstanceOf(Inbox.Changed.class);
    assertThat(inbox.poll(0)).isNull();
  }

  @Test
  void nothingComesAfterALoss() throws Exception {
    Inbox inbox = new Inbox();
    inbox.changed(ONE);
    inbox.lost("first");
    inbox.lost("second");
    inbox.changedAll();
    assertThat(inbox.poll(0)).isEqualTo(new Inbox.Lost("first"));
    assertThat(inbox.poll(0)).isNull();
  }

  @Test
  void tooManyChangesAreOneOfAll() throws Exception {
    Inbox inbox = new Inbox();
    List<byte[]> many = Collections.nCopies(60_000, new byte[] {1});
    inbox.changed(many);
    inbox.changed(many);
    inbox.changed(ONE);
    assertThat(inbox.poll(0)).isInstanceOf(Inbox.All.class);
    assertThat(inbox.poll(0)).isInstanceOf(Inbox.Changed.class);
    assertThat(inbox.poll(0)).isNull();
    // What was taken out does not count any more.
    inbox.changed(many);
    inbox.poll(0);
    inbox.changed(many);
    assertThat(inbox.poll(0)).isInstanceOf(Inbox.Changed.class);
  }

  @Test
  void whoWaitsIsWoken() throws Exception {
    Inbox inbox = new Inbox();
    inbox.wake();
    assertThat(inbox.poll(Long.MAX_VALUE)).isNull();
  }
}
