package io.latchkey.cache.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.cache.Cache;
import io.latchkey.cache.CacheException;
import io.latchkey.storage.Codec;
import io.latchkey.storage.StorageProvider;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The steps by which a backend can be opened by URL, as CONTRIBUTING.md tells them. */
class DirectoryStorageProviderTest {
  @TempDir private Path folder;

  /** The provider registered as by a jar, for the thread that made this. */
  private static final class Registered implements AutoCloseable {
    private final ClassLoader before = Thread.currentThread().getContextClassLoader();
    private final URLClassLoader jar;

    Registered(Path folder) throws Exception {
      Path services = Files.createDirectories(folder.resolve("jar/META-INF/services"));
      Files.writeString(
          services.resolve(StorageProvider.class.getName()),
          DirectoryStorageProvider.class.getName() + "\n");
      jar = new URLClassLoader(new URL[] {folder.resolve("jar").toUri().toURL()}, before);
      Thread.currentThread().setContextClassLoader(jar);
    }

    @Override
    public void close() throws Exception {
      Thread.currentThread().setContextClassLoader(before);
      jar.close();
    }
  }

  @Test
  @DisplayName("A cache by URL writes through to the backend, and another one reads it")
  void opensByUrl() throws Exception {
    String url = "dir:" + folder.resolve("data");
    try (Registered registered = new Registered(folder)) {
      try (Cache<String, String> cache = Cache.over(url, Codec.utf8(), Codec.utf8()).build()) {
        cache.put("k", "v");
      }
      try (Cache<String, String> cache = Cache.over(url, Codec.utf8(), Codec.utf8()).build()) {
        assertThat(cache.get("k")).isEqualTo("v");
        cache.remove("k");
        assertThat(cache.get("k")).isNull();
      }
    }
  }

  @Test
  @DisplayName("What cannot be opened is told when the cache is built")
  void tellsWhatCannotBeOpened() throws Exception {
    Path file = Files.createFile(folder.resolve("file"));
    try (Registered registered = new Registered(folder)) {
      assertThatThrownBy(() -> Cache.over("dir:" + file, Codec.utf8(), Codec.utf8()).build())
          .isInstanceOf(CacheException.class)
          .hasMessageContaining("is no directory");
      assertThatThrownBy(() -> Cache.over("dri:" + file, Codec.utf8(), Codec.utf8()).build())
          .isInstanceOf(CacheException.class)
          .hasMessageContaining("available: dir");
    }
  }
}
