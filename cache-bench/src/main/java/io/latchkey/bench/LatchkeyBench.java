package io.latchkey.bench;

import io.latchkey.bench.console.BadInputException;
import io.latchkey.bench.console.FailedRunException;
import io.latchkey.bench.console.Screen;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** The command line {@code latchkey-bench}. */
@Command(
    name = "latchkey-bench",
    description = "Measures the Latchkey cache beside others, on this machine.",
    mixinStandardHelpOptions = true,
    versionProvider = LatchkeyBench.Version.class,
    synopsisSubcommandLabel = "COMMAND",
    footer = {
      "",
      "Results go to standard output, progress and complaints to standard error.",
      "Exit codes: 0 done, 1 the work failed, 2 bad input.",
    })
public final class LatchkeyBench {
  /** Held, as loggers are forgotten with their level; the commands tell failures themselves. */
  private static final Logger LETTUCE = Logger.getLogger("io.lettuce");

  /** The work failed, or a check in it. */
  static final int FAILED = 1;

  /** The command line or a file named on it cannot be used. */
  static final int BAD_INPUT = 2;

  private LatchkeyBench() {}

  /** Runs a command and ends the process with its exit code. */
  public static void main(String[] args) {
    LETTUCE.setLevel(Level.SEVERE);
    System.exit(execute(Screen.ofProcess(), args));
  }

  /** Runs a command and returns its exit code. */
  static int execute(Screen screen, String... args) {
    CommandLine commandLine =
        new CommandLine(new LatchkeyBench())
            .addSubcommand(new DemoCommand(screen))
            .addSubcommand(new RunCommand(screen))
            .addSubcommand(new ReplayCommand(screen))
            .addSubcommand(new BackendCommand(screen))
            .addSubcommand(new ReportCommand(screen))
            .addSubcommand(new RatioCommand(screen))
            .addSubcommand(new CompareCommand(screen))
            .addSubcommand(new FlightCommand(screen))
            .addSubcommand(new ExpiryCommand(screen))
            .addSubcommand(
                new CommandLine(new PoolCommand(screen))
                    .addSubcommand(new PoolCleaningCommand(screen)))
            .addSubcommand(new SnapshotCommand(screen))
            .addSubcommand(new NeighbourCommand(screen))
            .addSubcommand(new MemoryCommand(screen))
            .addSubcommand(new ServeCommand(screen))
            .addSubcommand(new HttpCommand(screen))
            .addSubcommand(new FeedCommand(screen))
            .setOut(screen.out())
            .setErr(screen.err())
            .setCaseInsensitiveEnumValuesAllowed(true);
    commandLine.setParameterExceptionHandler((e, arguments) -> complain(screen, e));
    commandLine.setExecutionExceptionHandler((e, command, result) -> complain(screen, e, command));
    return commandLine.execute(args);
  }

  /** What was typed after the program's name, for files of results. */
  static List<String> typed(CommandSpec command) {
    return command.root().commandLine().getParseResult().originalArgs();
  }

  private static int complain(Screen screen, ParameterException e) {
    String command = e.getCommandLine().getCommandSpec().qualifiedName();
    screen
        .err()
        .printf(
            "%s: %s (see %s --help)%n", command, oneLine(String.valueOf(e.getMessage())), command);
    screen.err().flush();
    return BAD_INPUT;
  }

  /** Anything else than the two expected kinds is a bug, and shown as one. */
  private static int complain(Screen screen, Exception e, CommandLine command) throws Exception {
    if (!(e instanceof BadInputException || e instanceof FailedRunException)) {
      throw e;
    }
    String name = command.getCommandSpec().qualifiedName();
    screen.err().printf("%s: %s%n", name, oneLine(String.valueOf(e.getMessage())));
    screen.err().flush();
    return e instanceof BadInputException ? BAD_INPUT : FAILED;
  }

  private static String oneLine(String message) {
    return String.join(" ", message.lines().map(String::strip).toList());
  }

  /** The version of the jar. */
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = LatchkeyBench.class.getPackage().getImplementationVersion();
      return new String[] {"latchkey-bench " + (version != null ? version : "(development)")};
    }
  }
}
