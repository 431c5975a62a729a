/**
 * The examples of the documentation: each stands here word for word and runs as a test, or is a
 * program that a test runs. Written as by a user who has no annotations for null.
 */
package io.latchkey.cache.docs;
