/** Tests of the module rules: who may depend on whom, what is exported, how large a file may be. */
@org.jspecify.annotations.NullMarked
package io.latchkey.cache.architecture;
