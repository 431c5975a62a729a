package io.latchkey.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URL;
import java.net.URLConnection;
import java.net.URLStreamHandler;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Enumeration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class StoragesTest {
  private static final Codec<String> TEXT = Codec.utf8();

  private final ClassLoader contextLoader = Thread.currentThread().getContextClassLoader();

  @AfterEach
  void restoreContextLoader() {
    Thread.currentThread().setContextClassLoader(contextLoader);
  }

  /** Opens what its URL's location says, or fails as it says. */
  public static final class Scripted implements StorageProvider {
    @Override
    public String scheme() {
      return "scripted";
    }

    @Override
    public <K, V> Storage<K, V> open(URI uri, Codec<K> keys, Codec<V> values) {
      return switch (uri.getSchemeSpecificPart()) {
        case "throws" -> throw new IllegalStateException("no luck");
        case "lacks" -> throw new NoClassDefFoundError("org/driver/Missing");
        case "null" -> null;
        default -> key -> values.decode(uri.toString().getBytes(StandardCharsets.UTF_8));
      };
    }
  }

  /** Cannot be created. */
  public static final class Broken implements StorageProvider {
    /** Fails. */
    public Broken() {
      throw new IllegalStateException("broken provider");
    }

    @Override
    public String scheme() {
      return "broken";
    }

    @Override
    public <K, V> Storage<K, V> open(URI uri, Codec<K> keys, Codec<V> values) {
      throw new AssertionError();
    }
  }

  /** Makes the context class loader find these providers besides the others. */
  private static void provide(String services) {
    Thread.currentThread()
        .setContextClassLoader(
            new ClassLoader(StoragesTest.class.getClassLoader()) {
              @Override
              protected Enumeration<URL> findResources(String name) throws IOException {
                return name.equals("META-INF/services/" + StorageProvider.class.getName())
                    ? Collections.enumeration(Collections.singleton(resource(services)))
                    : Collections.emptyEnumeration();
              }
            });
  }

  @SuppressWarnings("deprecation") // the constructors that take a handler, since JDK 20
  private static URL resource(String text) throws IOException {
    return new URL(
        null,
        "test:services",
        new URLStreamHandler() {
          @Override
          protected URLConnection openConnection(URL url) {
            return new URLConnection(url) {
              @Override
              public void connect() {}

              @Override
              public InputStream getInputStream() {
                return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
              }
            };
          }
        });
  }

  @Test
  void opensByScheme() throws Exception {
    provide(Scripted.class.getName());
    try (Storage<String, String> storage = Storages.open("Scripted:a b", TEXT, TEXT)) {
      assertThat(storage.load("k")).isEqualTo("Scripted:a%20b");
    }
    try (Storage<String, String> storage = Storages.open("memory:", TEXT, TEXT)) {
      assertThat(storage).isInstanceOf(MemoryStorage.class);
    }
  }

  @Test
  void opensWithoutAContextLoader() throws Exception {
    Thread.currentThread().setContextClassLoader(null);
    Storages.open("memory:", TEXT, TEXT).close();
  }

  @Test
  void anUnknownSchemeIsToldWithTheKnownOnes() {
    assertThatThrownBy(() -> Storages.open("mvstroe:/x?password=pw", TEXT, TEXT))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("no provider opens the scheme 'mvstroe' of mvstroe:/x")
        .hasMessageContaining("available: memory")
        .hasMessageContaining("jar of the backend may be missing")
        .hasMessageNotContaining("pw");
  }

  @Test
  void badUrlsAreTold() {
    assertThatThrownBy(() -> Storages.open("/data/x.db", TEXT, TEXT))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("has no scheme");
    assertThatThrownBy(() -> Storages.open("", TEXT, TEXT)).isInstanceOf(StorageException.class);
    assertThatThrownBy(() -> Storages.open("memory:?size=3", TEXT, TEXT))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("unknown parameter 'size'");
  }

  @Test
  void nullsAreNamed() {
    assertThatNullPointerException()
        .isThrownBy(() -> Storages.open(null, TEXT, TEXT))
        .withMessage("url");
    assertThatNullPointerException()
        .isThrownBy(() -> Storages.open("memory:", null, TEXT))
        .withMessage("keys");
    assertThatNullPointerException()
        .isThrownBy(() -> Storages.open("memory:", TEXT, null))
        .withMessage("values");
  }

  @Test
  void aBrokenProviderIsToldButHidesNoOther() throws Exception {
    provide(Broken.class.getName() + "\nno.such.Provider\n" + Scripted.class.getName());
    Storages.open("scripted:x", TEXT, TEXT).close();
    assertThatThrownBy(() -> Storages.open("broken:x", TEXT, TEXT))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("'broken'")
        .hasMessageContaining("available: memory, scripted")
        .hasMessageContaining("A provider failed to load")
        .hasCauseInstanceOf(java.util.ServiceConfigurationError.class);
  }

  @Test
  void aServicesFileThatNeverEndsInErrorsEnds() {
    provide("not a class name\n");
    assertThatThrownBy(() -> Storages.open("broken:x", TEXT, TEXT))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("A provider failed to load");
  }

  @Test
  void whatAProviderThrowsIsWrapped() {
    provide(Scripted.class.getName());
    assertThatThrownBy(() -> Storages.open("scripted:throws", TEXT, TEXT))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("cannot open scripted:throws")
        .hasMessageContaining("no luck");
    assertThatThrownBy(() -> Storages.open("scripted:lacks", TEXT, TEXT))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("org/driver/Missing")
        .hasMessageContaining("is the jar of the database's driver on the class path?");
    assertThatThrownBy(() -> Storages.open("scripted:null", TEXT, TEXT))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("returned null");
  }
}
