package io.latchkey.storage;

import java.io.File;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A storage's URL taken apart, for providers: {@code scheme:location?parameter=value&…}.
 *
 * <p>{@link #parse} reads what people write. Spaces and other characters that a URL may not hold
 * are taken as they stand, so is a {@code %} that is not followed by two hexadecimal digits, and so
 * is {@code #}: a storage URL has no fragment. {@code %} with two hexadecimal digits stands for
 * that byte of UTF-8, in the location and in parameters; the first {@code ?} begins the parameters.
 * So a file whose name holds {@code ?} or {@code %41} is written with {@code %3F} or {@code %2541}.
 *
 * <p>{@link #file} maps the location to a file: {@code mvstore:data/x.db} is relative to the
 * working directory, {@code mvstore:/data/x.db} and {@code mvstore:///data/x.db} are absolute;
 * {@code mvstore:C:\data\x.db}, {@code mvstore:C:/data/x.db} and {@code mvstore:/C:/data/x.db} are
 * absolute on Windows. {@code ~} is not expanded.
 *
 * <p>Immutable. Its text never carries credentials: see {@link #redact}.
 */
public final class StorageUrl {
  private static final Pattern SCHEME =
      Pattern.compile("([A-Za-z][A-Za-z0-9+.-]*):(.*)", Pattern.DOTALL);
  private static final Pattern WINDOWS_DRIVE = Pattern.compile("/[A-Za-z]:.*", Pattern.DOTALL);

  private static final String FORM = "A storage URL has the form scheme:location?parameter=value";

  private final URI uri;
  private final String scheme;
  private final String location;
  private final Map<String, String> parameters;

  private StorageUrl(URI uri) throws StorageException {
    this.uri = uri;
    String rawScheme = uri.getScheme();
    if (rawScheme == null) {
      throw noScheme(uri.toString());
    }
    this.scheme = rawScheme.toLowerCase(Locale.ROOT);
    String rest = uri.getRawSchemeSpecificPart();
    int query = rest.indexOf('?');
    this.location = decode(query < 0 ? rest : rest.substring(0, query));
    this.parameters = query < 0 ? Map.of() : parameters(rest.substring(query + 1));
  }

  /**
   * Reads a URL as people write it.
   *
   * @param url the URL
   * @return its parts
   * @throws NullPointerException if the URL is null
   * @throws StorageException if it is malformed; the message says where and names the mend
   */
  public static StorageUrl parse(String url) throws StorageException {
    Objects.requireNonNull(url, "url");
    Matcher matcher = SCHEME.matcher(url);
    if (!matcher.matches()) {
      throw noScheme(url);
    }
    String scheme = matcher.group(1);
    if (scheme.length() == 1) {
      throw new StorageException(
          url,
          "'"
              + url
              + "' begins with a drive letter, not with a scheme: write for example"
              + " mvstore:"
              + url,
          null,
          false);
    }
    // An empty location is legal here but not in a java.net.URI, which takes a lone question mark.
    String rest = matcher.group(2).isEmpty() ? "?" : matcher.group(2);
    try {
      return new StorageUrl(new URI(scheme + ":" + escape(rest, "")));
    } catch (URISyntaxException first) {
      try {
        // Brackets are legal around an IPv6 address only, so they are first tried as they stand.
        return new StorageUrl(new URI(scheme + ":" + escape(rest, "[]")));
      } catch (URISyntaxException e) {
        throw new StorageException(
            url, "'" + url + "' is no storage URL: " + e.getReason() + ". " + FORM, null, false);
      }
    }
  }

  /**
   * Takes apart what a provider is given.
   *
   * @param uri an absolute URL
   * @return its parts; a fragment is not looked at
   * @throws NullPointerException if the URL is null
   * @throws StorageException if it has no scheme, or a malformed escape or parameter
   */
  public static StorageUrl of(URI uri) throws StorageException {
    return new StorageUrl(Objects.requireNonNull(uri, "uri"));
  }

  private static StorageException noScheme(String url) {
    return new StorageException(
        url,
        "'" + url + "' has no scheme: write for example memory: or mvstore:FILE. " + FORM,
        null,
        false);
  }

  /**
   * The URL as providers get it.
   *
   * @return an absolute URI, which may carry credentials
   */
  public URI uri() {
    return uri;
  }

  /**
   * The scheme.
   *
   * @return the scheme in lower case, without the colon
   */
  public String scheme() {
    return scheme;
  }

  /**
   * What stands between the scheme and the parameters, escapes decoded.
   *
   * @return the location, which may be empty and may carry credentials
   */
  public String location() {
    return location;
  }

  /**
   * The parameters, escapes decoded, in their order.
   *
   * @return an unmodifiable map
   */
  public Map<String, String> parameters() {
    return parameters;
  }

  /**
   * Refuses parameters that a provider does not know, so that a misspelt one is not ignored.
   *
   * @param known the names that the provider knows
   * @throws StorageException if there is another one; the message lists the known ones
   */
  public void allowParameters(String... known) throws StorageException {
    for (String name : parameters.keySet()) {
      if (!Arrays.asList(known).contains(name)) {
        throw refused(
            "unknown parameter '"
                + name
                + "': "
                + (known.length == 0
                    ? scheme + " takes none"
                    : scheme + " knows " + String.join(", ", known)));
      }
    }
  }

  /**
   * A parameter that is true or false.
   *
   * @param name the parameter
   * @param otherwise what it is when it is missing
   * @return its value
   * @throws StorageException if it is neither {@code true} nor {@code false}
   */
  public boolean flag(String name, boolean otherwise) throws StorageException {
    @Nullable String value = parameters.get(name);
    if (value == null) {
      return otherwise;
    }
    if (!value.equals("true") && !value.equals("false")) {
      throw refused("parameter " + name + " is '" + value + "': write true or false");
    }
    return value.equals("true");
  }

  /**
   * The file that the location names; the class comment says how. The file need not exist.
   *
   * @return the path, relative or absolute
   * @throws StorageException if the location is empty, names a host, or cannot be a path here
   */
  public Path file() throws StorageException {
    String name = fileName(location, File.separatorChar == '\\');
    if (name.isEmpty()) {
      throw refused("it names no file: write for example " + scheme + ":/data/objects.db");
    }
    if (name.startsWith("//")) {
      throw refused(
          "it names a host, and a file is wanted: write " + scheme + ":/PATH with one slash");
    }
    try {
      return Path.of(name);
    } catch (InvalidPathException e) {
      throw refused("it is no path on this system: " + e.getReason());
    }
  }

  /** The path's text; what still begins with two slashes names a host. */
  static String fileName(String location, boolean windows) {
    String name = location.startsWith("///") ? location.substring(2) : location;
    return windows && WINDOWS_DRIVE.matcher(name).matches() ? name.substring(1) : name;
  }

  private StorageException refused(String why) {
    return new StorageException(toString(), "cannot open " + this + ": " + why, null, false);
  }

  /**
   * The scheme and the location, escapes decoded, without parameters and credentials.
   *
   * @return a text for messages
   */
  @Override
  public String toString() {
    return Redaction.redactUrl(scheme + ":" + location);
  }

  /**
   * Takes credentials out of a text that holds URLs, in favour of three stars: user names and
   * passwords before an {@code @}, and the values of parameters and settings whose names speak of a
   * password, secret, token, key or credential. A text without any is returned as it is. Costs one
   * pass; made for messages, not for hot paths.
   *
   * @param text a URL, or a message with URLs in it
   * @return the text without credentials
   * @throws NullPointerException if the text is null
   */
  public static String redact(String text) {
    return Redaction.redact(Objects.requireNonNull(text, "text"));
  }

  private Map<String, String> parameters(String query) throws StorageException {
    Map<String, String> found = new LinkedHashMap<>();
    for (String part : query.split("&", -1)) {
      if (part.isEmpty()) {
        continue;
      }
      int equals = part.indexOf('=');
      String name = decode(equals < 0 ? part : part.substring(0, equals));
      if (equals < 0) {
        // A question mark in a password begins the parameters: what precedes the host is its rest.
        String shown = name.substring(name.lastIndexOf('@') + 1);
        throw refused("parameter '" + shown + "' has no value: write " + shown + "=VALUE");
      }
      if (found.put(name, decode(part.substring(equals + 1))) != null) {
        throw refused("parameter '" + name + "' is given twice");
      }
    }
    return Collections.unmodifiableMap(found);
  }

  private String decode(String raw) throws StorageException {
    if (raw.indexOf('%') < 0) {
      return raw;
    }
    byte[] source = raw.getBytes(StandardCharsets.UTF_8);
    ByteBuffer target = ByteBuffer.allocate(source.length);
    for (int i = 0; i < source.length; i++) {
      if (source[i] == '%' && i + 2 < source.length) {
        target.put(
            (byte) Integer.parseInt(new String(source, i + 1, 2, StandardCharsets.UTF_8), 16));
        i += 2;
      } else {
        target.put(source[i]);
      }
    }
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(target.flip()).toString();
    } catch (CharacterCodingException e) {
      throw new StorageException(
          scheme,
          "the escapes in a " + scheme + " URL are not UTF-8: write the character itself instead",
          null,
          false);
    }
  }

  /** Escapes what a URI may not hold, and what it may but a storage URL has no use for. */
  private static String escape(String rest, String alsoEscaped) {
    StringBuilder escaped = new StringBuilder();
    for (int i = 0; i < rest.length(); ) {
      int c = rest.codePointAt(i);
      String text = Character.toString(c);
      boolean illegal = c == '%' ? !isEscape(rest, i) : isIllegal(c) || alsoEscaped.contains(text);
      if (illegal) {
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
          escaped.append('%').append(String.format(Locale.ROOT, "%02X", b));
        }
      } else {
        escaped.append(text);
      }
      i += Character.charCount(c);
    }
    return escaped.toString();
  }

  private static boolean isEscape(String text, int at) {
    return at + 2 < text.length()
        && Character.digit(text.charAt(at + 1), 16) >= 0
        && Character.digit(text.charAt(at + 2), 16) >= 0
        && text.charAt(at + 1) < 128
        && text.charAt(at + 2) < 128;
  }

  private static boolean isIllegal(int c) {
    return "#\"<>\\^`{|}".indexOf(c) >= 0 || Character.isISOControl(c) || Character.isSpaceChar(c);
  }
}
