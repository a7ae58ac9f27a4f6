package cleave.deploy.standalone;

import static cleave.deploy.standalone.ReadyStandalone.ANYWHERE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.deploy.CommandFailure;
import cleave.deploy.ExitCode;
import cleave.deploy.RawTables;
import cleave.deploy.TestTerminal;
import cleave.deploy.access.Deployment;
import cleave.deploy.access.TableAccount;
import cleave.deploy.admin.AdminClient;
import cleave.deploy.role.ListenAddress;
import cleave.dfs.Dfs;
import cleave.dfs.DfsClients;
import cleave.dfs.metrics.DfsMetrics;
import cleave.runtime.loop.Await;
import cleave.runtime.settings.Settings.BadSetting;
import cleave.runtime.tls.TestAuthority;
import cleave.runtime.tls.TestAuthority.Issued;
import cleave.wire.AdminSplitRequest;
import io.prometheus.client.CollectorRegistry;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StandaloneIT {
    @TempDir
    private Path dir;

    private Standalone made(ListenAddress listen) {
        return new Standalone(new StandaloneConfig(dir, listen, Map.of()), new CollectorRegistry());
    }

    private Standalone started() {
        return ReadyStandalone.start(dir, Map.of(), new CollectorRegistry());
    }

    @Test
    void startedAgainOnTheSameFolderItHasEverything() throws Exception {
        try (Standalone first = started()) {
            RawTables tables = new RawTables(first.account());
            assertThat(tables.createTable("notes")).isIn(201, 204);
            for (int i = 0; i < 50; i++) {
                assertThat(tables.put("notes", "p" + i % 5, "r" + i, "text " + i))
                        .isEqualTo(204);
            }
        }
        try (Standalone second = started()) {
            RawTables tables = new RawTables(second.account());
            for (int i = 0; i < 50; i++) {
                assertThat(tables.get("notes", "p" + i % 5, "r" + i).text()).contains("\"Text\":\"text " + i + "\"");
            }
            assertThat(tables.get("notes", "p0", "absent").status()).isEqualTo(404);
            assertThat(tables.createTable("Notes")).isEqualTo(409);
        }
    }

    /** Others may be able to enter the folder, but none inside of it, whatever the modes below. */
    @Test
    void whatItMakesIsForItsOwnerAlone() throws Exception {
        Files.setPosixFilePermissions(dir, PosixFilePermissions.fromString("rwxr-xr-x"));
        try (Standalone standalone = started()) {
            assertThat(new RawTables(standalone.account()).createTable("notes")).isIn(201, 204);
            try (Stream<Path> made = Files.list(dir)) {
                assertThat(made.toList())
                        .hasSizeGreaterThan(4)
                        .allSatisfy(path -> assertThat(Files.getPosixFilePermissions(path))
                                .isEqualTo(PosixFilePermissions.fromString(
                                        Files.isDirectory(path) ? "rwx------" : "rw-------")));
            }
        }
    }

    @Test
    void httpsMayBeAllThatIsServed(@TempDir Path tls) throws Exception {
        Issued issued = new TestAuthority(tls).issue("front-end");
        Map<String, String> settings = Map.of(
                "front-end.listen", "none",
                "front-end.listen-tls", "127.0.0.1:0",
                "front-end.tls-dir", TestAuthority.write(tls, issued).toString());
        try (Standalone standalone = ReadyStandalone.start(dir, settings, new CollectorRegistry())) {
            assertThat(Deployment.load(dir).endpoints()).containsExactly("https://" + standalone.address());
            SSLContext before = SSLContext.getDefault();
            SSLContext.setDefault(TestAuthority.believing(issued));
            try {
                assertThat(new RawTables(standalone.account()).createTable("notes"))
                        .isEqualTo(204);
            } finally {
                SSLContext.setDefault(before);
            }
        }
        Files.delete(tls.resolve("tls.key"));
        try (Standalone standalone =
                new Standalone(new StandaloneConfig(dir, ANYWHERE, settings), new CollectorRegistry())) {
            assertThatThrownBy(standalone::start)
                    .isInstanceOf(BadSetting.class)
                    .hasMessageContaining("tls.key does not exist");
        }
    }

    @Test
    void aSplitAskedFromOutsideIsKeptOverARestart() throws Exception {
        try (Standalone first = started();
                AdminClient admin = new AdminClient(List.of(first.masters()))) {
            RawTables tables = new RawTables(first.account());
            assertThat(tables.createTable("notes")).isIn(201, 204);
            assertThat(tables.put("notes", "a", "1", "left")).isEqualTo(204);
            assertThat(tables.put("notes", "x", "1", "right")).isEqualTo(204);
            AdminSplitRequest request = AdminSplitRequest.newBuilder()
                    .setAccount("devstoreaccount1")
                    .setTable("notes")
                    .addPartitionKeys("m")
                    .build();
            admin.split(request);
            admin.split(request);
            assertThat(admin.status().getMap().getRowsCount()).isEqualTo(2);
            assertThat(tables.get("notes", "x", "1").text()).contains("right");
        }
        try (Standalone second = started();
                AdminClient admin = new AdminClient(List.of(second.masters()))) {
            RawTables tables = new RawTables(second.account());
            assertThat(tables.get("notes", "a", "1").text()).contains("left");
            assertThat(tables.get("notes", "x", "1").text()).contains("right");
            assertThat(admin.status().getMap().getRowsCount()).isEqualTo(2);

            String first = "(registry) ... devstoreaccount1/notes ";
            assertThat(rangesShowing(first)).containsPattern("1/m +- +devstoreaccount1/notes ");
            assertThat(tables.deleteTable("notes")).isEqualTo(204);
            assertThat(tables.createTable("Notes")).isIn(201, 204);
            assertThat(rangesShowing("1 (deleted) ... devstoreaccount1/Notes "))
                    .contains("(registry) ... 1 (deleted) ");
            assertThat(ranges("--table", "devstoreaccount1/notes"))
                    .contains("devstoreaccount1/Notes ")
                    .doesNotContain("(registry)");
            assertThat(ranges("--json", "--table", "devstoreaccount1/notes"))
                    .contains("\"name\" : \"Notes\"", "\"namesMissing\" : \"\"");
            assertThat(ranges("--table", "devstoreaccount1/other"))
                    .contains("there is no table other of account devstoreaccount1");
        }
    }

    /** The output of {@code admin ranges}, with all its complaints. */
    private String ranges(String... more) {
        TestTerminal terminal = new TestTerminal();
        terminal.run(List.of("admin", "ranges", "--dir", dir.toString()), more);
        return terminal.said();
    }

    /** The same, as soon as the leader knows the names. */
    private String rangesShowing(String text) {
        Await.until(this::ranges, () -> ranges().contains(text));
        return ranges();
    }

    @Test
    void aTableIsSplitAtMoreKeysThanOneHandoffMakesParts() throws Exception {
        try (Standalone standalone = started();
                AdminClient admin = new AdminClient(List.of(standalone.masters()))) {
            RawTables tables = new RawTables(standalone.account());
            assertThat(tables.createTable("notes")).isIn(201, 204);
            AdminSplitRequest.Builder request = AdminSplitRequest.newBuilder()
                    .setAccount("devstoreaccount1")
                    .setTable("notes");
            for (int i = 0; i < 80; i++) {
                request.addPartitionKeys("p" + i);
            }
            admin.split(request.build());
            assertThat(admin.status().getMap().getRowsCount()).isEqualTo(81);
        }
    }

    @Test
    void itsFolderTellsOtherCommandsWhereItIsWhileItRuns() {
        try (Standalone standalone = started()) {
            Deployment told = Deployment.load(dir);
            assertThat(told.endpoints()).containsExactly("http://" + standalone.address());
            assertThat(told.masters()).containsExactly(standalone.masters());
        }
        assertThat(Deployment.isIn(dir)).isFalse();
    }

    /** Its processes may run, and the addresses that they leave for other commands are theirs. */
    @Test
    void theFolderOfAClusterIsLeftAsItIs() throws IOException {
        Files.writeString(dir.resolve("cluster.properties"), "count.master=1\n");
        Files.writeString(dir.resolve("deployment.properties"), "masters=127.0.0.1:1\n");
        try (Standalone standalone = made(ANYWHERE)) {
            assertTaken(standalone, "is that of a cluster; use it with 'cleave cluster', or give another by --data");
        }
        assertThat(Files.readString(dir.resolve("deployment.properties"))).isEqualTo("masters=127.0.0.1:1\n");
        try (Stream<Path> entries = Files.list(dir)) {
            assertThat(entries).hasSize(2);
        }
    }

    /** All of its roles do what they can, and yet no client gets an answer. */
    @Test
    void whileARangeCannotBeOpenedItIsNotReadyAndSaysWhy() throws Exception {
        String manifest;
        try (Standalone first = started();
                AdminClient admin = new AdminClient(List.of(first.masters()))) {
            assertThat(new RawTables(first.account()).createTable("notes")).isIn(201, 204);
            manifest = admin.ranges().get(0).getManifest();
        }
        try (Dfs dfs = DfsClients.open("file:" + dir.resolve("dfs"), new DfsMetrics(new CollectorRegistry()))) {
            dfs.delete(manifest).get(1, TimeUnit.MINUTES);
        }
        try (Standalone second = made(ANYWHERE)) {
            second.start();

            Await.until(
                    () -> second.readiness().missing(),
                    () -> second.readiness().missing().contains(" failures in a row"));

            assertThat(second.readiness().ready()).isFalse();
            assertThat(second.readiness().missing()).startsWith("1 of 1 ranges are not served yet: range ");
            assertThat(ranges()).contains("(registry) ... 1 ", "1 table is shown by its id: ");
            assertThat(ranges("--table", "devstoreaccount1/notes")).contains("the registry cannot be read: ");
        }
    }

    @Test
    void aFolderOrAPortThatIsTakenIsSaid() throws IOException {
        try (Standalone running = started()) {
            assertTaken(
                    made(ANYWHERE),
                    "is in use by another process (pid "
                            + ProcessHandle.current().pid() + ")");
            int port = running.account().port();
            assertTaken(made(new ListenAddress("127.0.0.1", port)), "port " + port + " of 127.0.0.1 is in use");
        }
    }

    private static void assertTaken(Standalone standalone, String message) {
        assertThatThrownBy(standalone::start)
                .isInstanceOfSatisfying(
                        CommandFailure.class,
                        failure -> assertThat(failure.exitCode()).isEqualTo(ExitCode.TAKEN))
                .hasMessageContaining(message);
    }

    @Test
    void aWrongSettingIsRefusedBeforeAnythingIsTouched() {
        Path untouched = dir.resolve("untouched");
        StandaloneConfig wrong = new StandaloneConfig(untouched, ANYWHERE, Map.of("server.lops", "1"));

        assertThatThrownBy(() -> new Standalone(wrong, new CollectorRegistry()))
                .isInstanceOf(BadSetting.class)
                .hasMessageContaining("unknown setting server.lops");
        assertThat(untouched).doesNotExist();
    }

    /** The command as people run it: a process that reports when it is ready and ends in order on SIGTERM. */
    @Test
    void theProcessEndsInOrderWhenItIsAskedTo(@TempDir Path other) throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        "cleave.deploy.Cleave",
                        "standalone",
                        "--port",
                        "0",
                        "--data",
                        dir.toString())
                .redirectError(other.resolve("err").toFile())
                .start();
        try (BufferedReader out =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            assertThat(out.readLine()).startsWith("Data: " + dir);
            assertThat(out.readLine()).startsWith("Metrics: http://127.0.0.1:");
            assertThat(out.readLine()).isEqualTo("Ready. Connection string:");
            RawTables tables =
                    new RawTables(TableAccount.ofConnectionString(out.readLine().strip()));
            assertThat(tables.createTable("notes")).isIn(201, 204);
            process.destroy();
            assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
            assertThat(process.exitValue()).isZero();
            assertThat(Files.readString(other.resolve("err"))).isEmpty();
        } finally {
            process.destroyForcibly();
        }
    }
}
