package io.latchkey.storage.mvstore;

import io.latchkey.storage.testkit.KillContract;
import java.nio.file.Path;

class KilledProcessTest extends KillContract {
  @Override
  protected String url(Path folder) {
    return "mvstore:" + folder.resolve("killed.db");
  }
}
