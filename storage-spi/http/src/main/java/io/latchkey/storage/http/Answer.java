package io.latchkey.storage.http;

import org.jspecify.annotations.Nullable;

/**
 * What a server answered.
 *
 * @param status the status
 * @param absent whether the server says that the object is absent, and not the path
 * @param location where a redirect points, or null
 * @param body the body; of what is no success its beginning
 */
record Answer(int status, boolean absent, @Nullable String location, byte[] body) {
  boolean success() {
    return status == 200 || status == 204;
  }
}
