package io.latchkey.storage.http;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Puts one answer together. Memory is taken as the bytes arrive, never on the word of a header, and
 * never more than the limit; of what is no success only the beginning is kept.
 */
final class AnswerReader {
  /** Tells the absence of an object from a path that somebody on the way does not know. */
  private static final String ABSENT_HEADER = "X-Latchkey";

  private static final String ABSENT = "absent";

  /** Of a failure only a line is shown. */
  private static final int FAILURE_BYTES = 4096;

  private static final int FIRST_BYTES = 64 * 1024;
  private static final byte[] NOTHING = {};

  private final int status;
  private final boolean absent;
  private final @Nullable String location;

  /** Whether the connection can be used for further answers. */
  final boolean keepAlive;

  private final int limit;
  private final int kept;
  private final long claimed;
  private long received;
  private byte[] bytes = NOTHING;
  private int length;

  /**
   * Begins an answer.
   *
   * @param limit how many bytes the body may have
   * @param wanted whether anybody still waits for it; if not, the body is not kept
   */
  AnswerReader(HttpResponse head, int limit, boolean wanted) throws BadAnswerException {
    status = head.status().code();
    boolean success = head.status().codeClass() == HttpStatusClass.SUCCESS;
    absent = ABSENT.equalsIgnoreCase(head.headers().get(ABSENT_HEADER));
    location = head.headers().get(HttpHeaderNames.LOCATION);
    keepAlive = HttpUtil.isKeepAlive(head);
    this.limit = limit;
    claimed = HttpUtil.getContentLength(head, -1L);
    kept = !wanted ? 0 : success ? limit : Math.min(limit, FAILURE_BYTES);
    if (claimed > limit) {
      throw tooLarge(claimed + " bytes");
    }
    @Nullable String coding = head.headers().get(HttpHeaderNames.CONTENT_ENCODING);
    if (success && coding != null && !coding.equalsIgnoreCase("identity")) {
      throw new BadAnswerException(
          "the answer is encoded as "
              + coding
              + ", which was not asked for: a proxy on the way"
              + " must not compress it",
          null);
    }
    if (status == 200 && claimed < 0 && !HttpUtil.isTransferEncodingChunked(head)) {
      throw new BadAnswerException(
          "the answer has no Content-Length, so that a cut one cannot be told from a whole one:"
              + " is this a Latchkey server?",
          null);
    }
  }

  /** Checks what came through the decoder. */
  static void check(HttpResponse head) throws BadAnswerException {
    Throwable failure = head.decoderResult().cause();
    if (failure instanceof TooLongHttpHeaderException
        || failure instanceof TooLongHttpLineException) {
      throw new BadAnswerException(
          "the head of the answer is too long: is this a Latchkey server?", failure);
    }
    if (failure != null) {
      throw notHttp(failure);
    }
  }

  static BadAnswerException notHttp(Throwable failure) {
    return new BadAnswerException(
        "the answer is not HTTP: does another service listen at this port?", failure);
  }

  private BadAnswerException tooLarge(String what) {
    return new BadAnswerException(
        "the answer has " + what + ", and maxBytes is " + limit + ": give a larger maxBytes=",
        null);
  }

  void add(ByteBuf content) throws BadAnswerException {
    int more = content.readableBytes();
    received += more;
    if (received > limit) {
      throw tooLarge("more than " + limit + " bytes");
    }
    int taken = Math.min(more, kept - length);
    if (taken > 0) {
      if (bytes.length - length < taken) {
        grow(length + taken);
      }
      content.getBytes(content.readerIndex(), bytes, length, taken);
      length += taken;
    }
  }

  private void grow(int needed) {
    // To the claimed length in steps, each of them at most twice what has really arrived.
    long wish = claimed >= 0 ? Math.min(claimed, kept) : kept;
    long step = Math.max(FIRST_BYTES, 2L * needed);
    bytes = Arrays.copyOf(bytes, (int) Math.max(needed, Math.min(wish, step)));
  }

  Answer end() {
    byte[] body = length == bytes.length ? bytes : Arrays.copyOf(bytes, length);
    return new Answer(status, absent, location, body);
  }
}
