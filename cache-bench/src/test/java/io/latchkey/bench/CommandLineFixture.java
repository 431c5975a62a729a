package io.latchkey.bench;

import io.latchkey.bench.console.Screen;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;

/** Runs commands in this process and keeps what they print. */
final class CommandLineFixture {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  int execute(String... arguments) {
    return LatchkeyBench.execute(Screen.of(new PrintWriter(out), new PrintWriter(err)), arguments);
  }

  String out() {
    return out.toString();
  }

  List<String> outLines() {
    return out.toString().lines().toList();
  }

  List<String> errLines() {
    return err.toString().lines().toList();
  }
}
