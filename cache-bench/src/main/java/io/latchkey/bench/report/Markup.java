package io.latchkey.bench.report;

import java.util.Locale;

/** Text with elements of HTML and SVG, well-formed as XML. */
final class Markup {
  private final StringBuilder text = new StringBuilder();

  /** An element without content; attributes are names and values in turn. */
  Markup empty(String element, Object... attributes) {
    tag(element, attributes);
    text.append("/>");
    return this;
  }

  Markup open(String element, Object... attributes) {
    tag(element, attributes);
    text.append('>');
    return this;
  }

  Markup close(String element) {
    text.append("</").append(element).append('>');
    return this;
  }

  /** An element with a text in it. */
  Markup element(String element, String content, Object... attributes) {
    return open(element, attributes).text(content).close(element);
  }

  Markup text(String content) {
    text.append(escaped(content));
    return this;
  }

  /** What is markup already. */
  Markup raw(Markup other) {
    text.append(other.text);
    return this;
  }

  Markup line() {
    text.append('\n');
    return this;
  }

  private void tag(String element, Object... attributes) {
    text.append('<').append(element);
    for (int i = 0; i < attributes.length; i += 2) {
      Object value = attributes[i + 1];
      text.append(' ')
          .append(attributes[i])
          .append("=\"")
          .append(value instanceof Double number ? number(number) : escaped(value.toString()))
          .append('"');
    }
  }

  /** A length with a tenth, which is finer than any screen. */
  private static String number(double value) {
    return String.format(Locale.ROOT, "%.1f", value);
  }

  /** Without what is special to XML, or not allowed in it at all. */
  private static String escaped(String content) {
    StringBuilder escaped = new StringBuilder();
    content
        .codePoints()
        .forEach(
            c -> {
              switch (c) {
                case '&' -> escaped.append("&amp;");
                case '<' -> escaped.append("&lt;");
                case '>' -> escaped.append("&gt;");
                case '"' -> escaped.append("&quot;");
                case '\n', '\t' -> escaped.append((char) c);
                default -> escaped.appendCodePoint(allowed(c) ? c : '?');
              }
            });
    return escaped.toString();
  }

  private static boolean allowed(int c) {
    return c >= 0x20 && !(c >= 0xD800 && c <= 0xDFFF) && c != 0xFFFE && c != 0xFFFF;
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
