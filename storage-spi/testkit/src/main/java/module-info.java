/**
 * What an author of a storage tests it with: the contract suite, and storages whose loads the test
 * holds or lets fail.
 */
module io.latchkey.storage.testkit {
  requires static org.jspecify;
  requires transitive io.latchkey.storage;
  requires transitive org.junit.jupiter.api;
  requires org.assertj.core;

  exports io.latchkey.storage.testkit;
}
