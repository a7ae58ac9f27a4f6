package cleave.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

class CleaveTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    private Path dir;

    private int run(String... arguments) {
        CommandLine line = Cleave.commandLine(arguments);
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(err, true));
        return line.execute(arguments);
    }

    @Test
    void theVersionNamesTheJavaThatRunsIt() {
        assertThat(run("--version")).isZero();
        assertThat(out.toString())
                .startsWith("cleave 0.")
                .contains("(Java " + Runtime.version().feature());
    }

    @Test
    void withoutACommandItSaysWhereHelpIs() {
        assertThat(run()).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).contains("a command is missing").contains("cleave --help");
    }

    @Test
    void aMistypedCommandIsCorrected() {
        assertThat(run("standalnoe")).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).contains("standalone");
    }

    @Test
    void aCommandAloneIsWhatItIsAmongAll() {
        Cleave.commandLine().getSubcommands().forEach((name, command) -> {
            CommandLine alone = Objects.requireNonNull(
                    Cleave.commandLine(name).getSubcommands().get(name));

            assertThat(alone.getUsageMessage(Ansi.OFF)).isEqualTo(command.getUsageMessage(Ansi.OFF));
            assertThat(alone.getSubcommands().keySet())
                    .isEqualTo(command.getSubcommands().keySet());
            assertThat(command.getCommandSpec().name()).isEqualTo(name);
        });
        assertThat(Cleave.commandLine("server").getSubcommands()).containsOnlyKeys("server");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "server --set server.id=s1 --set server.dir=d --set masters=h:1 --set dfs=file:/x --set server.idd=2"
                        + " | unknown setting server.idd",
                "server --set server.dir=d | setting masters is missing; set it in the file or with --set masters=...",
                "server --set server.id=s1 --set server.dir=d --set masters=h:1 --set dfs=file:/x --set admin.listen=nowhere"
                        + " | setting admin.listen is 'nowhere' but must be host:port",
                "master --set master.snapshot-every=0 | setting master.snapshot-every is '0' but must be a whole number",
                "front-end --set masters=h:1 | a front end needs accounts",
                "dfs --set dfs-node.dir=d --set dfs-node.lisen=x | unknown setting dfs-node.lisen",
                "master --config /no/such/file | /no/such/file cannot be read",
                "master --set master.id=m1 --set master.dir=/no --set dfs=file:/no --set master.listen=0.0.0.0:1"
                        + " | setting master.listen is '0.0.0.0:1', which other machines can reach",
                "master --set master.id=m1 --set master.dir=/no --set dfs=file:/no --set master.raft-listen=0.0.0.0:1"
                        + " | setting master.raft-listen is '0.0.0.0:1', which other machines can reach",
                "server --set server.id=s1 --set server.dir=d --set masters=h:1 --set dfs=file:/x --set server.listen=0.0.0.0:1"
                        + " | insecure-network=true",
                "dfs --set dfs-node.dir=d --set dfs-node.listen=192.0.2.1:1 | insecure-network=true",
                "dfs --set dfs-node.dir=d --set insecure-network=yes | insecure-network",
                "dfs --log-format xml | expected one of [TEXT, JSON] (case-insensitive) but was 'xml'",
                "cluster --dir /no --masters 2 | majority",
                "cluster --dir /no --set x=1 | belongs to no role",
                "cluster status | --dir",
                "admin | say what",
                "admin ranges --masters nowhere | neither host:port nor",
                "admin settings --masters nowhere get balancer.split-load | neither host:port nor",
                "admin events --masters h:1 --last -1 | --last is -1 but must be 0 or more",
                "admin drain s1 --masters h:1 --wait -1 | --wait is -1 but must be 0 or more",
                "server --set server.id=s1 --set server.dir=d --set masters=h:1 --set dfs=file:/x"
                        + " --set server.drain-deadline=2h | server.drain-deadline must be at most 1h",
                "demo --endpoint http://127.0.0.1:1 --connection-file a | give one of them",
                "demo --connection-file no-such-file | no file no-such-file",
                "demo --ranges 1000 | from 1 to 128",
                "standalone --port 70000 | 70000"
            })
    void whatIsWrongIsSaidAndNothingIsStarted(String line, String message) {
        assertThat(run(line.trim().split(" "))).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).contains(message.trim());
    }

    @Test
    void aDemoWithNobodyThereSaysSo() {
        assertThat(run("demo", "--endpoint", "http://127.0.0.1:1")).isEqualTo(ExitCode.UNREACHABLE);
        assertThat(err.toString()).contains("no service answers at http://127.0.0.1:1/devstoreaccount1");
    }

    @Test
    void aFolderWithoutAClusterIsLeftAsItIs() {
        assertThat(run("cluster", "status", "--dir", dir.toString())).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).contains("there is no cluster in " + dir);
        assertThat(dir).isEmptyDirectory();
    }
}
