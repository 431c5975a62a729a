package io.latchkey.bench;

import io.latchkey.bench.console.BadInputException;
import io.latchkey.bench.console.FailedRunException;
import io.latchkey.bench.console.Screen;
import io.latchkey.bench.feed.FeedPrinter;
import io.latchkey.storage.Codec;
import io.latchkey.storage.RevisionStorage;
import io.latchkey.storage.Storage;
import io.latchkey.storage.StorageException;
import io.latchkey.storage.Storages;
import io.latchkey.storage.Subscription;
import io.latchkey.storage.WatchableStorage;
import io.latchkey.storage.jdbc.PostgresInstallation;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code feed}: what a storage tells caches of changes, and what PostgreSQL needs for it. */
@Command(
    name = "feed",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Shows what a storage tells caches of changes, a line for each event, until it is stopped. Of a"
          + " storage of revisions it shows the commits.",
      "",
      "On PostgreSQL a feed needs triggers, and revisions a history. This command installs them,"
          + " removes them, or prints the SQL for an administrator who does.",
      "",
    },
    footer = {
      "",
      "Example: latchkey-bench feed --storage"
          + " 'jdbc:postgresql://HOST/DB?table=users&key=id&value=name&feed=listen'",
    })
final class FeedCommand implements Callable<Integer> {
  private static final int MAX_SECONDS = 1_000_000;

  private final Screen screen;

  @Option(
      names = "--storage",
      paramLabel = "URL",
      required = true,
      description = "The storage; of PostgreSQL with feed=listen or revisions=use.")
  private String url = "";

  @Option(
      names = "--key-codec",
      paramLabel = "CODEC",
      defaultValue = "utf8",
      description = "How keys become bytes: utf8 or int64 (${DEFAULT-VALUE}).")
  private String keyCodec = "";

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description = "Stop after so many seconds (when it is interrupted).")
  private @Nullable Integer seconds;

  @ArgGroup(exclusive = true)
  private @Nullable Installing installing;

  /** What is done instead of showing events. */
  private static final class Installing {
    @Option(names = "--install", description = "PostgreSQL: install what is missing.")
    private boolean install;

    @Option(names = "--remove", description = "PostgreSQL: remove it; a history is lost.")
    private boolean remove;

    @Option(names = "--print-install", description = "PostgreSQL: print the SQL that installs it.")
    private boolean printInstall;

    @Option(names = "--print-remove", description = "PostgreSQL: print the SQL that removes it.")
    private boolean printRemove;
  }

  FeedCommand(Screen screen) {
    this.screen = screen;
  }

  @Override
  public Integer call() {
    if (seconds != null && (seconds < 0 || seconds > MAX_SECONDS)) {
      throw new BadInputException(
          "--seconds must be from 0 to " + MAX_SECONDS + ", not " + seconds);
    }
    try {
      if (installing != null) {
        install(installing);
      } else {
        switch (keyCodec) {
          case "utf8" -> show(Codec.utf8());
          case "int64" -> show(Codec.int64());
          default ->
              throw new BadInputException("--key-codec must be utf8 or int64, not " + keyCodec);
        }
      }
      return 0;
    } catch (StorageException e) {
      throw new BadInputException("--storage: " + e.getMessage(), e);
    }
  }

  private void install(Installing what) throws StorageException {
    PostgresInstallation installation = PostgresInstallation.of(url);
    if (what.printInstall) {
      screen.out().print(installation.installSql());
    } else if (what.printRemove) {
      screen.out().print(installation.removeSql());
    } else if (what.install) {
      installation.install();
      screen.out().println("installed: caches over this table are told what changes");
    } else if (what.remove) {
      installation.remove();
      screen.out().println("removed: nothing is told of changes of this table any more");
    }
    screen.out().flush();
  }

  private <K> void show(Codec<K> keys) throws StorageException {
    try (Storage<K, byte[]> storage = Storages.open(url, keys, Codec.bytes());
        Subscription subscription = subscribe(storage)) {
      Objects.requireNonNull(subscription, "subscription");
      long time = seconds == null ? Long.MAX_VALUE : seconds;
      new CountDownLatch(1).await(time, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the end that was asked for
    } catch (StorageException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new FailedRunException("--storage: " + e.getMessage());
    }
  }

  private <K> Subscription subscribe(Storage<K, byte[]> storage) throws Exception {
    FeedPrinter<K> printer = new FeedPrinter<>(screen.out());
    if (storage instanceof WatchableStorage) {
      return ((WatchableStorage<K, byte[]>) storage).watch(printer.changes());
    }
    if (storage instanceof RevisionStorage) {
      RevisionStorage<K, byte[]> revisions = (RevisionStorage<K, byte[]>) storage;
      return revisions.commits(revisions.head(), printer.commits());
    }
    throw new BadInputException(
        "--storage: "
            + storage.name()
            + " tells no changes; on PostgreSQL it does with feed=listen or revisions=use in the"
            + " URL");
  }
}
