package cleave.deploy.engine;

import cleave.deploy.CommandFailure;
import cleave.deploy.ExitCode;
import cleave.deploy.role.GivenSettings;
import cleave.deploy.terminal.Wait;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code cleave engine format}. */
@Command(
        name = "format",
        mixinStandardHelpOptions = true,
        header = "prepare ZooKeeper for BookKeeper, once",
        description = {
            "Has blank servers of ZooKeeper begin with an empty tree, if all of them are blank, and makes the node of BookKeeper's"
                    + " metadata in it, which the setting metadataServiceUri names. If the command is repeated, it continues or says that"
                    + " it was done. It changes nothing that is there."
        },
        footer = {
            "EXAMPLE",
            "",
            "  cleave engine format --set 'metadataServiceUri=zk+longhierarchical://zk1:2181;zk2:2181;zk3:2181/ledgers'"
        })
final class FormatCommand implements Callable<Integer> {
    private static final Duration PAUSE = Duration.ofMillis(500);

    @Mixin
    private GivenSettings given = new GivenSettings();

    @Option(
            names = "--wait",
            paramLabel = "SECONDS",
            defaultValue = "60",
            description = "how long to wait for ZooKeeper (default: ${DEFAULT-VALUE})")
    private int seconds;

    @Spec
    @SuppressWarnings("NullAway.Init") // Set by picocli before anything runs.
    private CommandSpec spec;

    /** All were blank: the rest may be told to begin. */
    private boolean begins;

    /** What a server says of itself. */
    private enum Member {
        SERVES("serves"),
        BLANK("is blank"),
        WAITS("has data, and waits for others"),
        SILENT("does not answer");

        private final String text;

        Member(String text) {
            this.text = text;
        }
    }

    @Override
    public Integer call() throws IOException {
        EngineConfig config = new EngineConfig(given.all());
        String uri = config.text("metadataServiceUri");
        Map<String, Member> members = new LinkedHashMap<>();
        if (!Wait.until(() -> serves(config, members), Duration.ofSeconds(seconds), PAUSE)) {
            throw CommandFailure.unreachable("ZooKeeper does not serve: " + text(members)
                    + (members.containsValue(Member.BLANK) && !begins
                            ? ". Blank servers begin anew only if all are blank: an ensemble of which most have lost their data has"
                                    + " to be restored"
                            : ""));
        }
        boolean made = EngineProgram.makeLedgersRoot(uri);
        spec.commandLine()
                .getOut()
                .println(
                        made
                                ? "Prepared " + uri + " for bookies."
                                : uri + " was prepared before; nothing was changed.");
        spec.commandLine().getOut().flush();
        return ExitCode.OK;
    }

    private static String text(Map<String, Member> members) {
        return String.join(
                ", ",
                members.entrySet().stream()
                        .map(member -> member.getKey() + " " + member.getValue().text)
                        .toList());
    }

    private boolean serves(EngineConfig config, Map<String, Member> members) {
        config.zookeepers().forEach(address -> members.put(address, ask(address)));
        begins |= members.values().stream().allMatch(member -> member == Member.BLANK);
        if (begins) {
            members.forEach((address, member) -> {
                if (member == Member.BLANK) {
                    tell(address);
                }
            });
        }
        return members.containsValue(Member.SERVES);
    }

    private static Member ask(String address) {
        try {
            String answer = ZooKeeperProbe.answer(address, "srvr");
            if (answer.equals(BlankMember.BLANK)) {
                return Member.BLANK;
            }
            return answer.contains("Mode: ") ? Member.SERVES : Member.WAITS;
        } catch (IOException silent) {
            return Member.SILENT;
        }
    }

    private static void tell(String address) {
        try {
            ZooKeeperProbe.answer(address, BlankMember.INITIALIZE);
        } catch (IOException lost) {
            // It is told again in the next round if it is still blank.
        }
    }
}
