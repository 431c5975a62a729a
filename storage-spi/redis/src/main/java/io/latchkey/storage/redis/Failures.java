package io.latchkey.storage.redis;

import io.latchkey.storage.StorageException;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Says what an error of Lettuce or of the server means for the storage, and what to do about it.
 *
 * @param name the storage
 * @param secrets what no message may show; an error that has one of them in a message is no cause
 * @param type the type that the Redis keys have to have
 * @param timeout how long a call waits
 */
record Failures(String name, List<String> secrets, String type, Duration timeout) {
  /** How deep causes are looked at. */
  private static final int MAX_CAUSES = 20;

  private static final String NOTHING_TOLD = "the connection ended";

  @Override
  public String toString() {
    return "failures of " + name; // not the secrets
  }

  StorageException closed() {
    return new StorageException(name, name + " is closed: open it again", null, false);
  }

  StorageException timedOut(String action) {
    return new StorageException(
        name,
        "cannot "
            + action
            + " "
            + name
            + ": no answer within "
            + timeout
            + ". Look whether the server is there and not overloaded, or give a longer timeout",
        null,
        true);
  }

  /** There is no connection. */
  StorageException connecting(Throwable failure) {
    Throwable root = unwrapped(failure);
    if (root instanceof StorageException known) {
      return known;
    }
    if (root instanceof RedisCommandTimeoutException) {
      return timedOut("connect to");
    }
    String said = said(failure);
    if (said.contains("WRONGPASS") || said.contains("NOAUTH") || said.contains("AUTH ")) {
      return failed(
          "cannot log in to " + name + ": the server says '" + said + "'",
          "write USER:PASSWORD@ before the host in the URL, or :PASSWORD@ for the default user; in"
              + " them, / is written as %2F and @ as %40",
          failure,
          false);
    }
    if (said.contains("DB index")) {
      return failed(
          "cannot open " + name + ": the server says '" + said + "'",
          "the number after the host is the database; mend it, or leave it out",
          failure,
          false);
    }
    if (root instanceof RedisCommandExecutionException) {
      return answered("connect to", failure, said);
    }
    if (said.contains("SSL")
        || said.contains("TLS")
        || said.contains("certificat")
        || said.contains("PKIX")) {
      return failed(
          "cannot connect to " + name + ": " + said,
          "rediss is for servers with TLS, redis for those without; a certificate that Java does"
              + " not trust goes into a trust store named by -Djavax.net.ssl.trustStore, or is"
              + " taken as it is with verifyPeer=none",
          failure,
          false);
    }
    return failed(
        "cannot connect to " + name + ": " + said,
        "start the server, or mend host and port",
        failure,
        true);
  }

  /** A command failed. */
  StorageException failed(String action, Throwable failure) {
    Throwable root = unwrapped(failure);
    if (root instanceof StorageException known) {
      return known;
    }
    if (root instanceof RedisCommandTimeoutException) {
      return timedOut(action);
    }
    String said = said(root);
    if (root instanceof RedisCommandExecutionException) {
      return answered(action, root, said);
    }
    return failed(
        "cannot " + action + " " + name + ": " + said, "the next call connects again", root, true);
  }

  /** The server does not tell changes. */
  StorageException tracking(Throwable failure) {
    StorageException known = failed("watch", failure);
    if (!(unwrapped(failure) instanceof RedisCommandExecutionException) || known.retryable()) {
      return known;
    }
    return failed(
        "cannot watch " + name + ": the server says '" + said(failure) + "'",
        "the feed needs CLIENT TRACKING of Redis 6 or later, and a user who may call it; or give up"
            + " the feed with feed=none",
        failure,
        false);
  }

  /** The server was there and refused. */
  private StorageException answered(String action, Throwable failure, String said) {
    String code = said.contains(" ") ? said.substring(0, said.indexOf(' ')) : said;
    String what = "cannot " + action + " " + name + ": the server says '" + said + "'";
    return switch (code) {
      case "WRONGTYPE" ->
          failed(
              what,
              "something else than a Redis "
                  + type
                  + " has the name of this object; give another prefix or hash, or delete it",
              failure,
              false);
      case "NOPERM" ->
          failed(what, "let the administrator permit the user this by ACL SETUSER", failure, false);
      case "NOAUTH", "WRONGPASS" ->
          failed(what, "write user and password into the URL", failure, false);
      case "MOVED", "ASK" ->
          failed(what, "it is a cluster; add cluster=true to the URL", failure, false);
      case "OOM" ->
          failed(what, "give the server more maxmemory, or an eviction policy", failure, true);
      case "READONLY" -> failed(what, "it is a replica; name its master", failure, true);
      case "LOADING", "BUSY", "CLUSTERDOWN", "TRYAGAIN", "MASTERDOWN", "MISCONF", "NOREPLICAS" ->
          failed(what, "try again when the server has got over it", failure, true);
      default -> failed(what, "look into the log of the server", failure, false);
    };
  }

  private StorageException failed(String what, String mend, Throwable failure, boolean retryable) {
    return new StorageException(name, what + ": " + mend, harmless(failure), retryable);
  }

  /** Whether a call failed with its connection, and not by an answer of the server. */
  static boolean isConnectionLost(Throwable failure) {
    Throwable root = unwrapped(failure);
    return !(root instanceof RedisCommandExecutionException
        || root instanceof RedisCommandTimeoutException
        || root instanceof StorageException);
  }

  static Throwable unwrapped(Throwable failure) {
    Throwable at = failure;
    while ((at instanceof CompletionException || at instanceof ExecutionException)
        && at.getCause() != null) {
      at = at.getCause();
    }
    return at;
  }

  /** What the innermost error says, without secrets. */
  private String said(Throwable failure) {
    Throwable at = unwrapped(failure);
    for (int i = 0; i < MAX_CAUSES && at.getCause() != null; i++) {
      at = at.getCause();
    }
    String message = at.getMessage();
    return message == null || message.isBlank() || hasSecret(message)
        ? (at instanceof RedisCommandExecutionException ? "a text with the password" : NOTHING_TOLD)
        : message;
  }

  private boolean hasSecret(@Nullable String text) {
    return text != null && secrets.stream().anyMatch(text::contains);
  }

  /** Lettuce writes no credentials into its errors; a server may say again what it was told. */
  private @Nullable Throwable harmless(Throwable failure) {
    Throwable at = failure;
    for (int i = 0; at != null && i < MAX_CAUSES; i++) {
      if (hasSecret(at.getMessage())) {
        return null;
      }
      at = at.getCause();
    }
    return failure;
  }
}
