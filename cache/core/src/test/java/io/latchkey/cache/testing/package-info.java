/**
 * What the rule tests stand on: gates instead of sleeps, callers whose parking is observed, a clock
 * and an executor that only move when the test says so, and keys that misbehave.
 */
@org.jspecify.annotations.NullMarked
package io.latchkey.cache.testing;
