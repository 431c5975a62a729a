package io.latchkey.cache.internal;

/**
 * The flight that fetches a new object for an entry that stays in the table meanwhile: a refresh,
 * or a load while the old object may still be served in place of an error. It is never in the table
 * itself; when it ends well, a new entry takes the place of the old one if that is still there.
 */
final class Reload extends Entry {
  final Entry old;

  Reload(Entry old, Node stack) {
    super(old.key, old.hash, stack);
    this.old = old;
  }
}
