package cleave.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

class CleaveTest {
    private final TestTerminal terminal = new TestTerminal();

    @TempDir
    private Path dir;

    private int run(String... arguments) {
        return terminal.run(arguments);
    }

    @Test
    void aReleaseNamesItsCommitAndABuildInACheckoutDoesNot() {
        assertThat(Version.named("1.2.3", "0123456789abcdef0123456789abcdef01234567"))
                .isEqualTo("1.2.3-0123456789ab");
        assertThat(Version.named("1.2.3-SNAPSHOT", "none")).isEqualTo("1.2.3-SNAPSHOT");
        assertThat(Version.built())
                .as("the properties are filtered")
                .matches("[0-9]+\\.[0-9]+\\.[0-9]+(-[0-9A-Za-z.-]+)?");
    }

    @Test
    void theVersionNamesTheJavaThatRunsIt() {
        assertThat(run("--version")).isZero();
        assertThat(terminal.out())
                .startsWith("cleave 0.")
                .contains("(Java " + Runtime.version().feature());
    }

    @Test
    void withoutACommandItSaysWhereHelpIs() {
        assertThat(run()).isEqualTo(ExitCode.USAGE);
        assertThat(terminal.err()).contains("a command is missing").contains("cleave --help");
    }

    @Test
    void aMistypedCommandIsCorrected() {
        assertThat(run("standalnoe")).isEqualTo(ExitCode.USAGE);
        assertThat(terminal.err()).contains("standalone");
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
        assertThat(terminal.err()).contains(message.trim());
    }

    /** Files that are folders, folders that are files, wrong addresses and names: each is reported in one line. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "3 | standalone --port 0 --data FILE | FILE: it is not a folder; give another by --data",
                "3 | standalone --port 0 --data FILE/x | FILE/x: Not a directory",
                "3 | standalone --port 0 --data FULL | holds other things, such as 'thing'",
                "3 | cluster --port 0 --dir FILE | FILE: it is not a folder; give another by --dir",
                "3 | cluster --port 0 --dir FULL | holds other things, such as 'thing'",
                "2 | standalone --data NEW --set master.listen=inproc: | setting master.listen: address 'inproc:'",
                "2 | cluster --dir NEW --host no.such.invalid | 'no.such.invalid' is no host",
                "2 | cluster --dir NEW --accounts ABSENT | ABSENT: no such file or folder",
                "2 | cluster --dir NEW --accounts BINARY | it is not a text in UTF-8",
                "2 | server SERVER --set server.dir=NEW --set server.listen=127.0.0.1:99999"
                        + " | setting server.listen: address '127.0.0.1:99999' is neither host:port nor inproc:NAME",
                "2 | server SERVER --set server.dir=NEW --set server.listen=h | setting server.listen: address 'h'",
                "2 | server SERVER --set server.dir=NEW --set server.advertise=:: | setting server.advertise has '[::]:0', which is no address",
                "2 | server SERVER --set server.dir=NEW --set seeds=x | setting seeds: address 'x'",
                "2 | server --set server.id=s --set server.dir=NEW --set masters=:: --set dfs=dfs:h:1"
                        + " | setting masters: address '::'",
                "2 | server SERVER --config NUL | must be the path of a file or folder: Nul character not allowed",
                "2 | server SERVER --config FULL | FULL cannot be read: Is a directory",
                "2 | server SERVER --config BINARY | BINARY cannot be read: it is not a text in UTF-8",
                "2 | server SERVER --set server.dir=NEW --log FULL | the log cannot be written: FULL: Is a directory",
                "2 | server SERVER --set server.dir=NEW --log FILE/log | the log cannot be written: FILE/log: Not a directory",
                "3 | server SERVER --set server.dir=WHOLE | server.dir: the folder WHOLE is that of a standalone",
                "3 | master --set master.dir=WHOLE --set dfs=dfs:h:1 | master.dir: the folder WHOLE is that of a standalone",
                "3 | dfs --set dfs-node.dir=WHOLE | dfs-node.dir: the folder WHOLE is that of a standalone",
                "2 | front-end --set masters=h:1 --set front-end.accounts=BINARY | BINARY', but accounts: line 1 is not",
                "2 | front-end --set masters=h:1 --set front-end.accounts=FULL | FULL', which cannot be read: Is a directory",
                "2 | demo --endpoint http://127.0.0.1:99999 | is no endpoint: a port is at most 65535",
                "2 | demo --endpoint 127.0.0.1:10002 | is no URL; it should look like http://HOST:PORT",
                "2 | demo --connection-file BINARY | BINARY cannot be read: it is not a text in UTF-8",
                "2 | demo --dir DAMAGED | names no endpoints",
                "2 | admin ranges --dir DAMAGED | names no masters",
                "2 | admin export --table a-b --dir NEW FILE | no table can be named 'a-b'",
                "2 | admin import --table 9 --dir NEW FILE | no table can be named '9'",
                "2 | admin ranges --masters 127.0.0.1:99999 | neither host:port nor",
                "2 | admin ranges --masters 127.0.0.1:1 --tls FILE | FILE",
                "2 | backup verify FILE | FILE is no folder of backups",
                "2 | restore FILE --masters 127.0.0.1:1 --dfs dfs:127.0.0.1:1 | FILE is no folder of backups",
                "2 | sas table abc --permissions r --expiry 1h --connection-file FULL | FULL cannot be read: Is a directory",
                "2 | dfs copy file:FILE dfs:127.0.0.1:1 | FILE: it is not a folder"
            })
    void whatAUserCanBringAboutIsNeverABug(int status, String given, String message) throws IOException {
        Files.writeString(dir.resolve("FILE"), "x\n");
        Files.writeString(Files.createDirectory(dir.resolve("FULL")).resolve("thing"), "x\n");
        Files.writeString(Files.createDirectory(dir.resolve("WHOLE")).resolve("cluster-id"), "x\n");
        Files.writeString(Files.createDirectory(dir.resolve("DAMAGED")).resolve("deployment.properties"), "x\n");
        Files.write(dir.resolve("BINARY"), new byte[] {(byte) 0xFF, (byte) 0xFE, 0});
        Files.writeString(dir.resolve("NUL"), "server.dir=/x\\u0000y\n");
        String line = given.trim().replace("SERVER", "--set server.id=s --set masters=h:1 --set dfs=dfs:h:1");
        String expected = message.trim();
        for (String name : List.of("FILE", "FULL", "NEW", "ABSENT", "BINARY", "NUL", "WHOLE", "DAMAGED")) {
            line = line.replace(name, dir.resolve(name).toString());
            expected = expected.replace(name, dir.resolve(name).toString());
        }

        assertThat(run(line.split(" "))).as(terminal::err).isEqualTo(status);

        assertThat(terminal.err()).contains(expected).doesNotContain("a bug", "Exception", "\tat ");
        assertThat(terminal.err().lines()).hasSizeLessThanOrEqualTo(2);
        assertThat(dir.resolve("NEW")).doesNotExist();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "standalone --prot 1 | unknown option '--prot'; did you mean '--port'?",
                "standalone --qqqqq 1 | unknown option '--qqqqq'",
                "standalone --set server.lops=1 | unknown setting server.lops; did you mean server.loops? known are server.",
            })
    void aMistypedNameIsCorrected(String line, String message) {
        assertThat(run(line.trim().split(" "))).isEqualTo(ExitCode.USAGE);
        assertThat(terminal.err()).contains(message.trim()).doesNotContain("master.");
    }

    @Test
    void aToolOfTheSourcesIsNamedWhereThereAreNone() {
        assertThat(run("lab", "list")).isEqualTo(ExitCode.USAGE);
        assertThat(terminal.err()).contains("cleave: lab comes with the sources, as a command of ./cleave; archives");
    }

    @Test
    void aDemoWithNobodyThereSaysSo() {
        assertThat(run("demo", "--endpoint", "http://127.0.0.1:1")).isEqualTo(ExitCode.UNREACHABLE);
        assertThat(terminal.err()).contains("no service answers at http://127.0.0.1:1/devstoreaccount1");
    }

    @Test
    void aFolderWithoutAClusterIsLeftAsItIs() {
        assertThat(run("cluster", "status", "--dir", dir.toString())).isEqualTo(ExitCode.USAGE);
        assertThat(terminal.err()).contains("there is no cluster in " + dir);
        assertThat(dir).isEmptyDirectory();
    }
}
