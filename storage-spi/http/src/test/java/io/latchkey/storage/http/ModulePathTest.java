package io.latchkey.storage.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.latchkey.storage.Codec;
import io.latchkey.storage.Storage;
import io.latchkey.storage.Storages;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.unix.Unix;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.compression.ZlibWrapper;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.ssl.SslHandler;
import io.netty.resolver.AddressResolver;
import io.netty.util.ReferenceCounted;
import java.lang.module.Configuration;
import java.lang.module.ModuleFinder;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The client as a module, without the cache; all other tests run on the class path. */
class ModulePathTest {
  private static final String MODULE = "io.latchkey.storage.http";

  @Test
  @DisplayName(
      "The module provides http and https, and its client works without the cache's module")
  void opensOnTheModulePath() throws Exception {
    ModuleFinder finder =
        ModuleFinder.of(
            Stream.of(
                    HttpStorageProvider.class,
                    Storage.class,
                    ByteBuf.class,
                    Channel.class,
                    Unix.class,
                    DecoderResult.class,
                    ZlibWrapper.class,
                    HttpMethod.class,
                    SslHandler.class,
                    AddressResolver.class,
                    ReferenceCounted.class)
                .map(ModulePathTest::location)
                .toArray(Path[]::new));
    Configuration graph =
        ModuleLayer.boot().configuration().resolve(finder, ModuleFinder.of(), Set.of(MODULE));
    ClassLoader loader =
        ModuleLayer.defineModulesWithOneLoader(
                graph, List.of(ModuleLayer.boot()), ClassLoader.getPlatformClassLoader())
            .layer()
            .findLoader(MODULE);
    Class<?> codec = loader.loadClass(Codec.class.getName());
    Method open =
        loader.loadClass(Storages.class.getName()).getMethod("open", String.class, codec, codec);
    Object utf8 = codec.getMethod("utf8").invoke(null);
    for (String scheme : List.of("http", "https")) {
      // Nothing listens at port 1, so an attempt to connect is as far as it comes.
      Throwable thrown =
          catchThrowable(() -> open.invoke(null, scheme + "://127.0.0.1:1/", utf8, utf8));
      assertThat(thrown).isInstanceOf(InvocationTargetException.class);
      assertThat(thrown.getCause())
          .hasMessageContaining("cannot connect to " + scheme + "://127.0.0.1:1/")
          .hasMessageContaining("is the server running?");
      assertThat(thrown.getCause().getStackTrace())
          .anyMatch(frame -> MODULE.equals(frame.getModuleName()));
    }
  }

  /** The folder or jar that a class was loaded from. */
  private static Path location(Class<?> type) {
    return Path.of(URI.create(type.getProtectionDomain().getCodeSource().getLocation().toString()));
  }
}
