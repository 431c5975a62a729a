package io.latchkey.cache.internal;

/**
 * An element of the stack that an {@link Entry} holds in its value field while it loads: {@link
 * Waiter}s on top of one {@link Token}. A class of its own, so that one class check tells a stack
 * from an outcome; it is made on the waiting path only, never on a hit.
 */
abstract class Node {}
