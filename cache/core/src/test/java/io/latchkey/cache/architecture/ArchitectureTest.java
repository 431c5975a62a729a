package io.latchkey.cache.architecture;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noCodeUnits;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.latchkey.cache.CacheBuilder;
import io.latchkey.cache.SnapshotCacheBuilder;
import io.latchkey.storage.Storage;
import java.io.Externalizable;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What the classes of the SPI, the contract suite and the cache may depend on. */
class ArchitectureTest {
  private static final String SPI = "io.latchkey.storage";
  private static final String CACHE = "io.latchkey.cache";
  private static final String INTERNALS = "io.latchkey.cache.internal";
  private static final String[] FROM_ANYWHERE = {"java..", "org.jspecify.annotations"};

  private static final JavaClasses MAIN_CLASSES =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("io.latchkey");

  @Test
  @DisplayName("The SPI depends on the JDK and JSpecify only, so on nothing of the cache")
  void spiStandsAlone() {
    classes()
        .that()
        .resideInAPackage(SPI)
        .should()
        .onlyDependOnClassesThat(
            resideInAPackage(SPI).or(resideInAnyPackage(FROM_ANYWHERE)).or(arraysAndPrimitives()))
        .check(MAIN_CLASSES);
  }

  @Test
  @DisplayName("The cache depends on the JDK, JSpecify, the SPI and JCTools only")
  void cacheDependsOnSpiAndJctools() {
    classes()
        .that()
        .resideInAnyPackage(CACHE, INTERNALS + "..")
        .should()
        .onlyDependOnClassesThat(
            resideInAnyPackage(CACHE, INTERNALS + "..", SPI, "org.jctools..")
                .or(resideInAnyPackage(FROM_ANYWHERE))
                .or(arraysAndPrimitives()))
        .check(MAIN_CLASSES);
  }

  @Test
  @DisplayName("Only the builders reach into the internals")
  void onlyTheBuildersReachIntoTheInternals() {
    noClasses()
        .that()
        .resideOutsideOfPackage(INTERNALS + "..")
        .and(DescribedPredicate.not(builders()))
        .should()
        .dependOnClassesThat()
        .resideInAPackage(INTERNALS + "..")
        .check(MAIN_CLASSES);
  }

  @Test
  @DisplayName("No internal class stands in a signature of the API")
  void signaturesShowNoInternals() {
    noCodeUnits()
        .that()
        .areDeclaredInClassesThat()
        .resideInAPackage(CACHE)
        .and()
        .areDeclaredInClassesThat()
        .arePublic()
        .and()
        .arePublic()
        .should()
        .haveRawParameterTypes(anyOf(INTERNALS))
        .orShould()
        .haveRawReturnType(resideInAPackage(INTERNALS + ".."))
        .check(MAIN_CLASSES);
  }

  @Test
  @DisplayName("Names say what a class does: none ends in Util, Helper, Manager or Impl")
  void namesSayWhatAClassDoes() {
    noClasses().should().haveNameMatching(".*(Utils?|Helpers?|Manager|Impl)").check(MAIN_CLASSES);
  }

  @Test
  @DisplayName("Nothing is serialized by Java")
  void nothingIsSerializedByJava() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .belongToAnyOf(
            ObjectInputStream.class,
            ObjectOutputStream.class,
            Serializable.class,
            Externalizable.class)
        .check(MAIN_CLASSES);
  }

  @Test
  @DisplayName("The rules look at the main classes of the SPI and the cache, and at no test")
  void rulesSeeTheMainClasses() {
    assertThat(MAIN_CLASSES.contain(Storage.class)).isTrue();
    assertThat(MAIN_CLASSES.contain(CacheBuilder.class)).isTrue();
    assertThat(MAIN_CLASSES.contain(INTERNALS + ".LatchCache")).isTrue();
    assertThat(MAIN_CLASSES.contain(ArchitectureTest.class)).isFalse();
  }

  private static DescribedPredicate<List<JavaClass>> anyOf(String packageName) {
    return DescribedPredicate.describe(
        "any of " + packageName,
        types -> types.stream().anyMatch(type -> type.getPackageName().startsWith(packageName)));
  }

  private static DescribedPredicate<JavaClass> builders() {
    return DescribedPredicate.describe(
        "the builders",
        type ->
            Stream.of(CacheBuilder.class, SnapshotCacheBuilder.class)
                .map(Class::getName)
                .anyMatch(
                    builder ->
                        type.getName().equals(builder)
                            || type.getName().startsWith(builder + "$")));
  }

  private static DescribedPredicate<JavaClass> arraysAndPrimitives() {
    return DescribedPredicate.describe(
        "arrays and primitives", type -> type.getBaseComponentType().isPrimitive());
  }
}
