package io.latchkey.cache.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.cache.CacheBuilder;
import io.latchkey.storage.Storage;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleDescriptor.Exports;
import java.lang.module.ModuleDescriptor.Requires;
import java.lang.module.ModuleFinder;
import java.net.URISyntaxException;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The modules as their descriptors declare them; all other tests run on the class path. */
class ModuleGraphTest {
  private static final String SPI = "io.latchkey.storage";
  private static final String CACHE = "io.latchkey.cache";

  @Test
  @DisplayName("The SPI requires the JDK's base only and exports its one package")
  void descriptorOfTheSpi() throws Exception {
    ModuleDescriptor spi = descriptor(SPI, Storage.class);
    assertThat(spi.requires())
        .extracting(Requires::name)
        .containsExactlyInAnyOrder("java.base", "org.jspecify");
    assertThat(spi.exports()).extracting(Exports::source).containsExactly(SPI);
  }

  @Test
  @DisplayName("The cache requires the SPI and JCTools only")
  void requirementsOfTheCache() throws Exception {
    assertThat(descriptor(CACHE, CacheBuilder.class).requires())
        .extracting(Requires::name)
        .containsExactlyInAnyOrder(
            "java.base", "org.jspecify", SPI, "org.jctools.core", "org.jctools.core.jdk11");
  }

  @Test
  @DisplayName("The cache exports its API and not its internals")
  void internalsAreNotExported() throws Exception {
    ModuleDescriptor cache = descriptor(CACHE, CacheBuilder.class);
    assertThat(cache.exports()).extracting(Exports::source).containsExactly(CACHE);
    assertThat(cache.opens()).isEmpty();
    assertThat(cache.packages()).contains("io.latchkey.cache.internal");
  }

  @Test
  @DisplayName("JSpecify is not needed at run time")
  void jspecifyIsOptionalAtRunTime() throws Exception {
    assertThat(descriptor(SPI, Storage.class).requires())
        .filteredOn(requires -> requires.name().equals("org.jspecify"))
        .flatExtracting(Requires::modifiers)
        .contains(Requires.Modifier.STATIC);
  }

  private static ModuleDescriptor descriptor(String name, Class<?> inIt) throws URISyntaxException {
    return ModuleFinder.of(location(inIt)).find(name).orElseThrow().descriptor();
  }

  /** The folder or jar that a class was loaded from. */
  private static Path location(Class<?> type) throws URISyntaxException {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
  }
}
