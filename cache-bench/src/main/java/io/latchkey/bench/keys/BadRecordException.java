package io.latchkey.bench.keys;

import java.io.IOException;

/** A record of a trace is not what its format asks for. */
final class BadRecordException extends IOException {
  /** Tells what was found instead. */
  BadRecordException(String found) {
    super(found);
  }
}
