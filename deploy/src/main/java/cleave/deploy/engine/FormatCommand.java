package cleave.deploy.engine;

import cleave.deploy.CommandFailure;
import cleave.deploy.ExitCode;
import cleave.deploy.role.GivenSettings;
import cleave.deploy.terminal.TerminalCommand;
import cleave.deploy.terminal.Wait;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code cleave engine format}. */
@Command(
        name = "format",
        mixinStandardHelpOptions = true,
        header = "prepare ZooKeeper for BookKeeper, once",
        description = {
            "Has blank servers of ZooKeeper begin with an empty tree, if all of their ensemble are blank, and makes the node of"
                    + " BookKeeper's metadata in it, which the setting metadataServiceUri names. If the command is repeated, it"
                    + " continues or says that it was done. It changes nothing that is there.",
            "",
            "With the setting tls it speaks to servers that take TLS alone; its certificate is for the role dfs, as theirs."
        },
        footer = {
            "EXAMPLE",
            "",
            "  cleave engine format --set 'metadataServiceUri=zk+longhierarchical://zk1:2181;zk2:2181;zk3:2181/ledgers'"
        })
final class FormatCommand extends TerminalCommand implements Callable<Integer> {
    private static final Duration PAUSE = Duration.ofMillis(500);

    @Mixin
    private GivenSettings given = new GivenSettings();

    @Option(
            names = "--wait",
            paramLabel = "SECONDS",
            defaultValue = "60",
            description = "how long to wait for ZooKeeper (default: ${DEFAULT-VALUE})")
    private int seconds;

    @Override
    public Integer call() throws IOException {
        EngineConfig config = new EngineConfig(given.all());
        String uri = config.text("metadataServiceUri");
        Ensemble ensemble = new Ensemble(config.zookeepers(), EnginePeers.of(config));
        if (!Wait.until(ensemble::serves, Duration.ofSeconds(seconds), PAUSE)) {
            throw CommandFailure.unreachable("ZooKeeper does not serve: " + ensemble
                    + (ensemble.isPartlyBlank()
                            ? ". Blank servers begin anew only if all are blank: an ensemble of which most have lost their data has"
                                    + " to be restored"
                            : ""));
        }
        boolean made = EngineProgram.makeLedgersRoot(uri);
        say(made ? "Prepared " + uri + " for bookies." : uri + " was prepared before; nothing was changed.");
        return ExitCode.OK;
    }
}
