package io.latchkey.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StorageUrlTest {
  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '"',
      value = {
        "mvstore:/data/x.db, /data/x.db",
        "mvstore:///data/x.db, /data/x.db",
        "MvStore:/data/x.db, /data/x.db",
        "mvstore:x.db, x.db",
        "mvstore:./dir/x.db, ./dir/x.db",
        "mvstore:/path with space/x.db, /path with space/x.db",
        "mvstore:/path%20with%20space/x.db, /path with space/x.db",
        "mvstore:/100%/x.db, /100%/x.db",
        "mvstore:/100%zz/x.db, /100%zz/x.db",
        "mvstore:/100%2541/x.db, /100%41/x.db",
        "mvstore:/a#b/[c]{d}^|`.db, /a#b/[c]{d}^|`.db",
        "mvstore:/gr\u00fcn \uD83D\uDD11.db, /gr\u00fcn \uD83D\uDD11.db",
        "mvstore:/gr%C3%BCn.db, /gr\u00fcn.db",
        "mvstore:/what%3F.db, /what?.db",
        "mvstore:/a+b@c:d.db?sync=true, /a+b@c:d.db",
      })
  void aLocationNamesAFile(String url, String file) throws Exception {
    assertThat(StorageUrl.parse(url).file()).isEqualTo(Path.of(file));
    assertThat(StorageUrl.parse(url).scheme()).isEqualTo("mvstore");
  }

  @ParameterizedTest
  @CsvSource({
    "C:\\data\\x.db, C:\\data\\x.db",
    "C:/data/x.db, C:/data/x.db",
    "/C:/data/x.db, C:/data/x.db",
    "///C:/data/x.db, C:/data/x.db",
    "data\\x.db, data\\x.db",
  })
  void windowsPathsAreUnderstoodThere(String location, String file) throws Exception {
    String decoded = StorageUrl.parse("mvstore:" + location).location();
    assertThat(StorageUrl.fileName(decoded, true)).isEqualTo(file);
  }

  @Test
  void whatThePathMayNotBeIsSaid() {
    assertThatThrownBy(() -> StorageUrl.parse("mvstore:").file())
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("names no file: write for example mvstore:/data/objects.db");
    assertThatThrownBy(() -> StorageUrl.parse("mvstore:?sync=true").file())
        .hasMessageContaining("names no file");
    assertThatThrownBy(() -> StorageUrl.parse("mvstore://host/x.db").file())
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("names a host");
    assertThatThrownBy(() -> StorageUrl.parse("mvstore:/a%00b").file())
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("no path on this system");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "/data/x.db", "x.db", ":x", "1ab:x", "a b:x", "://x"})
  void aUrlWithoutSchemeIsRefused(String url) {
    assertThatThrownBy(() -> StorageUrl.parse(url))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("'" + url + "' has no scheme: write for example memory:");
  }

  @Test
  void aDriveLetterIsNoScheme() {
    assertThatThrownBy(() -> StorageUrl.parse("C:\\data\\x.db"))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("write for example mvstore:C:\\data\\x.db");
  }

  @Test
  void malformedUrlsAreRefused() {
    assertThatThrownBy(() -> StorageUrl.parse("mvstore://"))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("is no storage URL")
        .hasMessageContaining("scheme:location?parameter=value");
    assertThatThrownBy(() -> StorageUrl.parse("mvstore:/a%FF"))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("not UTF-8");
    assertThatNullPointerException().isThrownBy(() -> StorageUrl.parse(null)).withMessage("url");
    assertThatNullPointerException().isThrownBy(() -> StorageUrl.of(null)).withMessage("uri");
    assertThatThrownBy(() -> StorageUrl.of(URI.create("/relative")))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("has no scheme");
  }

  @Test
  void anIpv6AddressKeepsItsBrackets() throws Exception {
    StorageUrl url = StorageUrl.parse("redis://[::1]:6379/0");
    assertThat(url.uri().getHost()).isEqualTo("[::1]");
    assertThat(url.uri().getPort()).isEqualTo(6379);
  }

  @Test
  void parametersAreDecodedAndKeepTheirOrder() throws Exception {
    StorageUrl url = StorageUrl.parse("xy:z?b=1&a=%26 ?=&&c=");
    assertThat(url.parameters().toString()).isEqualTo("{b=1, a=& ?=, c=}");
    assertThat(StorageUrl.of(URI.create("x:/y?q=a%3Db")).parameters()).containsEntry("q", "a=b");
    assertThat(StorageUrl.of(URI.create("x:y")).parameters()).isEmpty();
  }

  @Test
  void badParametersAreRefused() throws Exception {
    assertThatThrownBy(() -> StorageUrl.parse("xy:z?a=1&a=2"))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("'a' is given twice");
    assertThatThrownBy(() -> StorageUrl.parse("xy:z?sync"))
        .hasMessageContaining("'sync' has no value: write sync=VALUE");
    StorageUrl url = StorageUrl.parse("xy:z?sinc=true&flag=yes");
    assertThatThrownBy(() -> url.allowParameters("sync", "flag"))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("unknown parameter 'sinc': xy knows sync, flag");
    assertThatThrownBy(url::allowParameters).hasMessageContaining("xy takes none");
    assertThatThrownBy(() -> url.flag("flag", true))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("parameter flag is 'yes': write true or false");
    url.allowParameters("sinc", "flag");
    assertThat(url.flag("sinc", false)).isTrue();
    assertThat(url.flag("none", true)).isTrue();
    assertThat(url.flag("none", false)).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "redis://user:pw@host:6379/0 | redis://***@host:6379/0",
        "redis://:pw@host | redis://***@host",
        "redis://:p@w@host/0 | redis://***@host/0",
        "redis://:p/w@host/0 | redis://***@host/0",
        "redis://:p?w#x@host | redis://***@host",
        "jdbc:postgresql://u:pw@h:5432/db | jdbc:postgresql://***@h:5432/db",
        "jdbc:postgresql://h:5432/db?user=a&password=pw | jdbc:postgresql://h:5432/db?user=a&password=***",
        "jdbc:postgresql://h/db?sslpassword=pw&x=1 | jdbc:postgresql://h/db?sslpassword=***&x=1",
        "jdbc:sqlserver://h;user=a;Password=pw;x=1 | jdbc:sqlserver://h;user=a;Password=***;x=1",
        "jdbc:sqlserver://h:1;password={p;pw};x=1 | jdbc:sqlserver://h:1;password=***;x=1",
        "jdbc:h2:mem:x;password=p\\;pw;x=1 | jdbc:h2:mem:x;password=***;x=1",
        "jdbc:postgresql://u:pw | jdbc:postgresql://***",
        "jdbc:oracle:thin:scott/tiger@//h:1521/s | jdbc:oracle:thin:***@//h:1521/s",
        "jdbc:oracle:thin:scott/a@tiger@h:1521/s | jdbc:oracle:thin:***@h:1521/s",
        "x:y?access_token=pw&apiKey=pw&auth=pw | x:y?access_token=***&apiKey=***&auth=***",
        "cannot open 'redis://u:pw@h/0': no route | cannot open 'redis://***@h/0': no route",
        "cannot open redis://h:6379: no route | cannot open redis://h:6379: no route",
        "cannot open redis://[::1]:6379: no route | cannot open redis://[::1]:6379: no route",
        "two: redis://a:pw@b/ redis://c:pw@d/ | two: redis://***@b/ redis://***@d/",
        "mvstore:/home/me@work/x.db | mvstore:/home/me@work/x.db",
        "mvstore:///home/me@work/x.db | mvstore:///home/me@work/x.db",
        "http://host:80/me@work | http://host:80/me@work",
        "http://[::1]:80/me@work | http://[::1]:80/me@work",
        "mvstore:x.db?sync=true | mvstore:x.db?sync=true",
        "author=me, bypass=1 | author=me, bypass=1",
      })
  void credentialsAreTakenOut(String text, String redacted) {
    assertThat(StorageUrl.redact(text)).isEqualTo(redacted).doesNotContain("pw", "tiger");
    assertThat(StorageUrl.redact(redacted)).isEqualTo(redacted);
  }

  @Test
  void neitherTheUrlNorAnExceptionShowsCredentials() throws Exception {
    StorageUrl url = StorageUrl.parse("redis://u:pw@h/0?password=pw");
    assertThat(url).hasToString("redis://***@h/0");
    StorageException e =
        new StorageException("redis://u:pw@h/0", "no redis://u:pw@h/0?token=pw", null, true);
    assertThat(e).hasMessage("no redis://***@h/0?token=***");
    assertThat(e.storage()).isEqualTo("redis://***@h/0");
    assertThat(e.retryable()).isTrue();
    assertThat(new StorageException("s", "m", null, false).retryable()).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "jdbc:h2:mem:x;PASSWORD=a pw;X=1 | jdbc:h2:mem:x;PASSWORD=***;X=1",
        "redis://u:a 'pw@h/0 | redis://***@h/0",
        "redis://u:a <pw>@h/a b | redis://***@h/a b",
        "mvstore:a folder/file | mvstore:a folder/file"
      })
  void credentialsWithBlanksAndQuotesAreTakenOut(String url, String text) throws Exception {
    assertThat(StorageUrl.parse(url)).hasToString(text);
  }

  @Test
  void theRestOfAPasswordIsNoNameOfAParameter() {
    assertThatThrownBy(() -> StorageUrl.parse("redis://u:a?pw@h/0"))
        .hasMessage("cannot open redis://***: parameter 'h/0' has no value: write h/0=VALUE");
  }
}
