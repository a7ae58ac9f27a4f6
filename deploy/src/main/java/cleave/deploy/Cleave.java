package cleave.deploy;

import cleave.deploy.admin.AdminCommand;
import cleave.deploy.backup.BackupCommand;
import cleave.deploy.backup.DfsCopyCommand;
import cleave.deploy.backup.ExportCommand;
import cleave.deploy.backup.ImportCommand;
import cleave.deploy.backup.RestoreCommand;
import cleave.deploy.backup.SalvageCommand;
import cleave.deploy.board.BoardCommand;
import cleave.deploy.cluster.ClusterCommand;
import cleave.deploy.demo.DemoCommand;
import cleave.deploy.engine.EngineCommand;
import cleave.deploy.role.RoleCommand;
import cleave.deploy.sas.SasCommand;
import cleave.deploy.standalone.StandaloneCommand;
import cleave.deploy.standalone.WarmUpCommand;
import cleave.model.UnknownFormat;
import cleave.runtime.rpc.NameLookups;
import cleave.runtime.settings.NearestName;
import cleave.runtime.settings.Settings.BadSetting;
import java.io.PrintWriter;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;
import picocli.CommandLine.UnmatchedArgumentException;

/** The {@code cleave} command line. */
@Command(
        name = "cleave",
        mixinStandardHelpOptions = true,
        header = "a horizontally scalable table service that speaks the Azure Table Storage protocol",
        customSynopsis = {
            "cleave standalone [--port PORT] [--data DIR]",
            "cleave cluster --dir DIR [--masters N] [--servers N] [--front-ends N] [--dfs bookkeeper]",
            "cleave cluster status|stop|kill|start|pause|resume|wipe --dir DIR [ROLE N]",
            "cleave master|server|front-end|dfs [--config FILE] [--set KEY=VALUE]...",
            "cleave admin ranges|servers|leader|events|handoffs [--masters ADDRESSES | --dir DIR]",
            "cleave admin split|merge|move|cancel|drain|settings|masters ...",
            "cleave admin export|import|salvage --table NAME FILE",
            "cleave board [--masters ADDRESSES | --dir DIR] [--listen HOST:PORT] | board --replay FILE",
            "cleave backup TO [--dir DIR] | backup verify FROM | restore FROM [--table ACCOUNT/NAME] [--dir DIR]",
            "cleave sas table NAME | account | explain URL|TOKEN",
            "cleave demo [--connection-file FILE | --dir DIR] [--ranges N]",
            "cleave " + Cleave.TOOLS + " ...",
            "cleave [COMMAND] --help | --version"
        },
        description = {
            "Cleave keeps tables of entities, as Azure Table Storage does, and serves them over the same REST protocol:"
                    + " the SDKs for it work unmodified. Its inside is the partition layer of the paper \"Windows Azure"
                    + " Storage\" (SOSP 2011): a replicated partition master assigns ranges of the key space to partition"
                    + " servers, stateless front ends route requests to them, and the data lies in a distributed file"
                    + " system (DFS), so that a range moves between servers without its data being copied.",
            "",
            "To try it on one machine, run @|bold cleave standalone|@ (one process) or @|bold cleave cluster|@ (separate"
                    + " processes that can be killed). To run it for real, start the roles one by one with"
                    + " @|bold cleave master|@, @|bold server|@, @|bold front-end|@ and @|bold dfs|@."
        },
        footer = {
            "EXAMPLES",
            "",
            "  cleave standalone",
            "      Everything in one process, on 127.0.0.1:10002, with the account that every SDK knows as",
            "      UseDevelopmentStorage=true; the data goes to ./cleave-data.",
            "",
            "  cleave demo --ranges 8",
            "      Loads 24,440 cities into it, spread over 8 ranges, and shows what each class of query costs.",
            "",
            "  cleave cluster --dir /tmp/c --masters 3 --servers 3 --front-ends 2",
            "  cleave cluster kill --dir /tmp/c server 2",
            "      Nine processes and a board on this machine, then one of them killed with SIGKILL.",
            "",
            "  cleave server --config server.properties --set server.id=s7",
            "      One partition server, configured by a file and one setting that overrides it.",
            "",
            "FILES",
            "",
            "  ./cleave-data/        what standalone keeps, unless --data says otherwise",
            "  DIR/cluster.properties, DIR/ROLE-N/{config.properties,log,process}",
            "                        what cluster keeps of each process",
            "  .cleave/              next to the launcher: build log and class-data archives; may be deleted",
            "",
            "ENVIRONMENT",
            "",
            "  CLEAVE_JAVA_HOME      the JDK to use (default: the newest found; 17 or newer)",
            "  CLEAVE_JAVA_OPTS      more options for the JVM",
            "  CLEAVE_BUILD=no       run what was built last, even if sources have changed"
        },
        exitCodeList = {
            "0:done",
            "1:the command was tried and failed",
            "2:the command line or a setting is wrong; nothing was started",
            "3:a port is in use, or a folder is in use, holds something else or cannot be used; nothing was changed",
            "4:no service answers at the address given",
            "5:what was measured is not as the command demanded",
            "70:a bug; the log has the details",
            "71:what is stored was written by a newer version; nothing was changed"
        })
public final class Cleave implements Runnable {
    /** Commands of chaos-tests, which archives and images do not have. */
    static final String TOOLS = "load|bench|trial|simulate|lab";

    /** The system property that names the list of commands whose jars {@code ./cleave} does not load. */
    private static final String OTHER_COMMANDS = "cleave.commands";

    /** The commands of this module, by name, in the order of the help. */
    private static final Map<String, Supplier<Object>> COMMANDS = commands();

    @Spec
    @SuppressWarnings("NullAway.Init") // Set by picocli before anything runs.
    private CommandSpec spec;

    public static void main(String[] args) {
        int status = ExitCode.BUG;
        NameLookups.forgetSoon();
        lookForNoLeaks();
        try {
            status = commandLine(args).execute(args);
        } catch (
                Throwable
                        bug) { // Errors too: threads that were started must not keep a process alive that does nothing.
            LoggerFactory.getLogger(Cleave.class).error("bug, the process ends", bug);
            System.err.println("cleave: a bug: " + bug);
        }
        System.exit(status);
    }

    /**
     * Netty would take a stack trace with one buffer of 128, to find those that nobody releases: some per cent of a busy server's time. Vert.x
     * forbids it for the same reason, but only where there is a front end.
     */
    private static void lookForNoLeaks() {
        System.getProperties().putIfAbsent("io.netty.leakDetection.level", "disabled");
    }

    private static Map<String, Supplier<Object>> commands() {
        Map<String, Supplier<Object>> all = new LinkedHashMap<>();
        all.put("standalone", StandaloneCommand::new);
        all.put("cluster", ClusterCommand::new);
        all.put("master", RoleCommand::master);
        all.put("server", RoleCommand::server);
        all.put("front-end", RoleCommand::frontEnd);
        all.put("dfs", () -> RoleCommand.dfs().addSubcommand(new DfsCopyCommand()));
        all.put(
                "admin",
                () -> new CommandLine(new AdminCommand())
                        .addSubcommand(new ExportCommand())
                        .addSubcommand(new ImportCommand())
                        .addSubcommand(new SalvageCommand()));
        all.put("board", BoardCommand::new);
        all.put("backup", BackupCommand::new);
        all.put("restore", RestoreCommand::new);
        all.put("engine", EngineCommand::make);
        all.put("sas", () -> SasCommand.make(System.getenv(), System.in));
        all.put("demo", DemoCommand::new);
        all.put("warm-up", () -> new WarmUpCommand(Cleave::commandLine));
        return all;
    }

    /** Adds these commands of other modules, with their subcommands. */
    private static CommandLine addOthers(CommandLine line, Predicate<String> wanted) {
        Map<String, Supplier<Object>> all = new TreeMap<>(); // Commands come before their subcommands.
        ServiceLoader.load(CommandProvider.class).forEach(provider -> all.putAll(provider.commands()));
        all.forEach((name, command) -> {
            String[] words = name.split(" ", 2);
            CommandLine parent =
                    words.length == 1 ? line : line.getSubcommands().get(words[0]);
            if (wanted.test(words[0]) && parent != null) {
                parent.addSubcommand(words[words.length - 1], command.get());
            }
        });
        return line;
    }

    /** The whole command line, including the commands that other modules add. */
    public static CommandLine commandLine() {
        CommandLine line = new CommandLine(new Cleave());
        COMMANDS.forEach((name, command) -> line.addSubcommand(name, command.get()));
        return laid(CommandList.grouped(addOthers(line, name -> true), System.getProperty(OTHER_COMMANDS)));
    }

    /**
     * The command line for these arguments. If they begin with a command it has no other one; if they do not, it has all of them, but
     * knows no more of each than {@link CommandList} says. To describe all commands takes longer than all else that a help does, and
     * a fifth of a role's start.
     */
    static CommandLine commandLine(String... arguments) {
        String first = arguments.length == 0 ? "" : arguments[0];
        CommandLine line = new CommandLine(new Cleave());
        if (COMMANDS.containsKey(first)) {
            return laid(line.addSubcommand(first, COMMANDS.get(first).get()));
        }
        if (first.startsWith("@")) {
            return commandLine();
        }
        if (!addOthers(line, first::equals).getSubcommands().isEmpty()) {
            return laid(line);
        }
        String others = System.getProperty(OTHER_COMMANDS);
        return laid(CommandList.grouped(CommandList.addTo(line, others), others));
    }

    private static CommandLine laid(CommandLine line) {
        ManualPage.lay(line);
        line.registerConverter(URI.class, Cleave::url);
        line.setAllowSubcommandsAsOptionParameters(true); // load --workload merge
        line.setExecutionExceptionHandler(Cleave::failed);
        line.setParameterExceptionHandler(Cleave::misused);
        return line;
    }

    private static URI url(String text) {
        try {
            return new URI(text);
        } catch (URISyntaxException malformed) {
            throw new TypeConversionException("'" + text + "' is no URL; write http://HOST:PORT");
        }
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "a command is missing");
    }

    private static int misused(ParameterException misuse, String[] args) {
        CommandLine line = misuse.getCommandLine();
        String name = line.getCommandSpec().qualifiedName();
        PrintWriter err = line.getErr();
        if (misuse instanceof UnmatchedArgumentException unmatched && unmatched.isUnknownOption()) {
            String option = unmatched.getUnmatched().get(0);
            err.println(name + ": unknown option '" + option + "'"
                    + NearestName.of(option, line.getCommandSpec().optionsMap().keySet())
                            .map(meant -> "; did you mean '" + meant + "'?")
                            .orElse(""));
        } else if (misuse instanceof UnmatchedArgumentException unmatched
                && line.getParent() == null
                && unmatched.getUnmatched().get(0).matches(TOOLS)) {
            err.println(name + ": " + unmatched.getUnmatched().get(0)
                    + " comes with the sources, as a command of ./cleave; archives and images do not have it");
        } else {
            err.println(name + ": " + misuse.getMessage());
            UnmatchedArgumentException.printSuggestions(misuse, err);
        }
        err.println("Try '" + name + " --help'.");
        return ExitCode.USAGE;
    }

    private static int failed(Exception thrown, CommandLine line, ParseResult parsed) {
        PrintWriter err = line.getErr();
        String name = line.getCommandSpec().qualifiedName();
        Exception exception = thrown instanceof RuntimeException failure ? OutsideFailure.explained(failure) : thrown;
        if (exception instanceof CommandFailure failure) {
            err.println(name + ": " + failure.getMessage());
            return failure.exitCode();
        }
        if (exception instanceof BadSetting wrong) {
            err.println(name + ": " + wrong.getMessage());
            return ExitCode.USAGE;
        }
        UnknownFormat unknown = UnknownFormat.in(exception);
        if (unknown != null) {
            err.println(name + ": " + unknown.getMessage());
            return ExitCode.UNKNOWN_FORMAT;
        }
        LoggerFactory.getLogger(Cleave.class).error("bug, the command ends command={}", name, exception);
        err.println(name + ": a bug: " + exception);
        exception.printStackTrace(err);
        return ExitCode.BUG;
    }
}
