package io.latchkey.storage.http.server;

/** A request cannot be answered; the answer says why. Carries no stack trace. */
final class Refusal extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient FixedAnswer answer;

  Refusal(int status, String line) {
    this(FixedAnswer.text(status, line), line);
  }

  private Refusal(FixedAnswer answer, String line) {
    super(line, null, false, false);
    this.answer = answer;
  }

  Refusal(FixedAnswer answer) {
    this(answer, answer.toString());
  }

  static Refusal withFields(int status, String fields, String line) {
    return new Refusal(FixedAnswer.text(status, fields, line), line);
  }

  FixedAnswer answer() {
    return answer;
  }
}
