package io.latchkey.storage.rocksdb;

import io.latchkey.storage.testkit.KillContract;
import java.nio.file.Path;

class KilledProcessTest extends KillContract {
  @Override
  protected String url(Path folder) {
    return "rocksdb:" + folder.resolve("killed");
  }
}
