package io.latchkey.storage;

import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds credentials in texts. When in doubt it takes out too much rather than too little. */
final class Redaction {
  private static final String STARS = "***";

  /** What ends a URL in a text: a blank, a quote or an angle bracket. */
  private static final String ENDS = "\\s'\"<>";

  /** Nothing ends a text that is a URL altogether. */
  private static final String NEVER = "\\x00";

  private static final Pattern AUTHORITY = authority(ENDS);
  private static final Pattern URL_AUTHORITY = authority(NEVER);

  /** A host, or a host with a port: what may stand before the path, or a colon of the text. */
  private static final Pattern HOST =
      Pattern.compile("(\\[[0-9A-Fa-f:.%]*]|[^:@\\[\\]]*)(:[0-9]*:?)?([,;].*)?");

  /** {@code jdbc:oracle:thin:user/password@…}: a user and a password without slashes before. */
  private static final Pattern SLASHED =
      Pattern.compile("(?<=jdbc:[a-z0-9]{1,20}:[a-z0-9]{1,20}:)[^/\\s'\"@]*/[^\\s'\"]*(?=@)");

  private static final Pattern SETTING = setting(ENDS);
  private static final Pattern URL_SETTING = setting(NEVER);

  private Redaction() {}

  /** The part of a URL after the two slashes. */
  private static Pattern authority(String ends) {
    return Pattern.compile("(?<=:)//([^/" + ends + "][^" + ends + "]*)");
  }

  /** A name and a value, perhaps in braces, or with separators behind backslashes. */
  private static Pattern setting(String ends) {
    return Pattern.compile(
        "(?i)([\\w.-]*(?:passw|pwd|passphrase|secret|token|credential|api_?-?key|access_?-?key"
            + "|private_?-?key)[\\w.-]*|\\bpass|\\bauth)(\\s*=\\s*)"
            + "(?:\\{[^}]*}|(?:\\\\.|[^&;"
            + ends
            + "])+)");
  }

  static String redact(String text) {
    if (text.indexOf('@') < 0 && text.indexOf('=') < 0 && !text.contains("://")) {
      return text;
    }
    return redact(text, AUTHORITY, SETTING);
  }

  /** A text that is one URL and nothing else, whose credentials may hold blanks and quotes. */
  static String redactUrl(String url) {
    return redact(url, URL_AUTHORITY, URL_SETTING);
  }

  private static String redact(String text, Pattern authority, Pattern setting) {
    String withoutUsers = authority.matcher(text).replaceAll(Redaction::withoutUser);
    String withoutSlashed = SLASHED.matcher(withoutUsers).replaceAll(STARS);
    return setting.matcher(withoutSlashed).replaceAll("$1$2" + STARS);
  }

  private static String withoutUser(MatchResult found) {
    String rest = found.group(1);
    int end = endOfAuthority(rest);
    int at = rest.lastIndexOf('@', end);
    if (at < 0 && !HOST.matcher(rest.substring(0, end)).matches()) {
      // No host, so a password with a slash or a question mark in it: up to the last @ there is.
      at = rest.lastIndexOf('@');
      if (at < 0) {
        return "//" + STARS; // the host was cut off with the rest of the password
      }
    }
    String clean = at < 0 ? rest : STARS + rest.substring(at);
    return "//" + Matcher.quoteReplacement(clean);
  }

  private static int endOfAuthority(String rest) {
    for (int i = 0; i < rest.length(); i++) {
      if ("/?#".indexOf(rest.charAt(i)) >= 0) {
        return i;
      }
    }
    return rest.length();
  }
}
