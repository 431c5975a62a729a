/** The cache. */
module io.latchkey.cache {
  requires static org.jspecify;
  requires transitive io.latchkey.storage;
  requires org.jctools.core;
  requires org.jctools.core.jdk11;

  exports io.latchkey.cache;
}
