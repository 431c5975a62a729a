/**
 * What an author of a storage, or of what is built on storages, tests it with.
 *
 * <p>{@link io.latchkey.storage.testkit.StorageContract} is the suite that every storage passes.
 * The other storages here are for tests of their users: those of {@link
 * io.latchkey.storage.testkit.GatedStorage} hold calls until the test lets them go, {@link
 * io.latchkey.storage.testkit.FaultyStorage} fails by script. {@link
 * io.latchkey.storage.testkit.FeedRecorder} writes down what a feed tells.
 */
@org.jspecify.annotations.NullMarked
package io.latchkey.storage.testkit;
