package cleave.deploy.role;

import cleave.deploy.access.DataFolder;
import cleave.deploy.links.Links;
import cleave.deploy.role.RoleProcess.Announcer;
import cleave.runtime.settings.Settings;
import io.prometheus.client.CollectorRegistry;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code cleave master|server|front-end|dfs}: one role in this process. All settings are read before anything is started. */
@Command(mixinStandardHelpOptions = true)
public final class RoleCommand implements Callable<Integer> {
    private static final List<String> LIFE = List.of(
            "",
            "Runs until SIGTERM or SIGINT; then it is unready, hands over what it has, and ends. A second signal hurries it."
                    + " A setting that is unknown or wrong stops the start, and the message says which"
                    + " are right. The admin port (admin.listen; by default any free port of 127.0.0.1, named in the log)"
                    + " serves /metrics, /healthz and /readyz, and what 'cleave admin process' shows.");

    private static final List<String> FOLDERS = List.of("dfs-node.dir", "master.dir", "server.dir");

    private final Function<Settings, Function<CollectorRegistry, RunningRole>> role;

    @Mixin
    private GivenSettings given = new GivenSettings();

    private RoleCommand(Function<Settings, Function<CollectorRegistry, RunningRole>> role) {
        this.role = role;
    }

    public static CommandLine master() {
        return command(
                "master",
                "one partition master in this process",
                List.of("Keeps the partition map with its peers, by Raft, and assigns ranges to partition servers."),
                List.of("  cleave master --config master.properties --set master.id=m2"),
                Roles::master);
    }

    public static CommandLine server() {
        return command(
                "server",
                "one partition server in this process",
                List.of(
                        "Serves the ranges that the masters assign to it: their writes, reads and scans. What it must not"
                                + " lose is in the DFS; its folder holds only what can be fetched again."),
                List.of("  cleave server --config server.properties --set server.id=s7"),
                Roles::server);
    }

    public static CommandLine frontEnd() {
        return command(
                "front-end",
                "one front end in this process",
                List.of(
                        "Serves the Table protocol over HTTP: authenticates, parses, and routes to partition servers."
                                + " Keeps no state.",
                        "",
                        "With front-end.listen-tls=HOST:PORT and front-end.tls-dir=DIR it serves HTTPS, too, with the"
                                + " certificate in DIR/tls.crt and DIR/tls.key, which are read again when they change."
                                + " front-end.listen=none turns HTTP off."),
                List.of(
                        "  cleave front-end --set front-end.listen=0.0.0.0:10002 --set front-end.accounts=accounts \\",
                        "      --set masters=m1:10100,m2:10100,m3:10100"),
                Roles::frontEnd);
    }

    /** Other commands about the DFS can be added to it. */
    public static CommandLine dfs() {
        return command(
                "dfs",
                "one node of the distributed file system in this process",
                List.of("Keeps append-only files for the partition servers, every append on stable storage before it"
                        + " is answered."),
                List.of("  cleave dfs --set dfs-node.listen=0.0.0.0:10200 --set dfs-node.dir=/var/lib/cleave-dfs"),
                Roles::dfs);
    }

    private static CommandLine command(
            String name,
            String header,
            List<String> description,
            List<String> example,
            Function<Settings, Function<CollectorRegistry, RunningRole>> role) {
        CommandLine line = new CommandLine(new RoleCommand(role)).setCaseInsensitiveEnumValuesAllowed(true);
        line.getCommandSpec()
                .name(name)
                .usageMessage()
                .header(header)
                .customSynopsis(
                        "cleave " + name + " [--config FILE] [--set KEY=VALUE]... [--log FILE] [--log-format FORMAT]")
                .description(Stream.concat(description.stream(), LIFE.stream()).toArray(String[]::new))
                .footer(Stream.concat(Stream.of("EXAMPLE", ""), example.stream())
                        .toArray(String[]::new));
        return line;
    }

    @Override
    public Integer call() {
        Settings settings = given.read();
        ListenAddress admin = admin(settings);
        Function<CollectorRegistry, RunningRole> make = role.apply(settings);
        settings.refuseUnknown();
        for (String folder : FOLDERS) {
            if (settings.known().contains(folder)) {
                DataFolder.refuseWhole(settings.path(folder, "master"), folder); // The others have no default.
            }
        }
        given.openLog();
        Links.ofThisProcess();
        CollectorRegistry registry = new CollectorRegistry();
        return new RoleProcess(admin, registry, Announcer.NONE).run(() -> make.apply(registry));
    }

    /** The one setting that every role has. */
    static ListenAddress admin(Settings settings) {
        return ListenAddress.parse("admin.listen", settings.text("admin.listen", "127.0.0.1:0"));
    }
}
