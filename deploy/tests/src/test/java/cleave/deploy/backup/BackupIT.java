package cleave.deploy.backup;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.deploy.ExitCode;
import cleave.deploy.RawTables;
import cleave.deploy.TestTerminal;
import cleave.deploy.access.Deployment;
import cleave.deploy.admin.AdminClient;
import cleave.deploy.cluster.LocalCluster;
import cleave.runtime.files.FolderTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Backup and restore between two clusters of real processes, through the command line as people use it. */
class BackupIT {
    private static final Pattern ETAG_TIME = Pattern.compile("\"Timestamp\":\"([^\"]+)\"");

    private static final String TYPES = "\"Int\":7,\"Flag\":true,\"Double\":5.0,"
            + "\"Large@odata.type\":\"Edm.Int64\",\"Large\":\"9007199254740993\","
            + "\"When@odata.type\":\"Edm.DateTime\",\"When\":\"2026-01-02T03:04:05.1234567Z\","
            + "\"Id@odata.type\":\"Edm.Guid\",\"Id\":\"c9da6455-213d-42c9-9a79-3e9149a57833\","
            + "\"Bytes@odata.type\":\"Edm.Binary\",\"Bytes\":\"AQID\"}\n";

    @TempDir
    private Path dir;

    private final TestTerminal terminal = new TestTerminal();

    private int cleave(String... arguments) {
        return terminal.run(arguments);
    }

    private String cluster(String name) {
        return dir.resolve(name).toString();
    }

    private void start(String name, String servers) {
        assertDone(cleave(
                "cluster",
                "--dir",
                cluster(name),
                "--wait",
                "240",
                "--masters",
                "1",
                "--servers",
                servers,
                "--front-ends",
                "1",
                "--port",
                "0"));
    }

    private void assertDone(int status) {
        assertThat(status).as(terminal::said).isZero();
    }

    private RawTables tables(String name) {
        Deployment deployment = Deployment.load(dir.resolve(name));
        return new RawTables(deployment.tables());
    }

    private String id(String name) {
        Deployment deployment = Deployment.load(dir.resolve(name));
        try (AdminClient client = AdminClient.of(deployment.masters(), deployment.tls())) {
            return client.meetCluster();
        }
    }

    private String backups() {
        return dir.resolve("backups").toString();
    }

    private int backup(String name) {
        return cleave("backup", backups(), "--dir", cluster(name));
    }

    private int restore(String name) {
        return cleave("restore", backups(), "--dir", cluster(name));
    }

    @AfterEach
    void stop() {
        for (String name : List.of("first", "second")) {
            if (Files.exists(dir.resolve(name).resolve("cluster.properties"))) {
                LocalCluster.in(dir.resolve(name)).stop();
            }
        }
    }

    private static void putAll(RawTables tables, String table, int from, int to) throws Exception {
        for (int i = from; i < to; i++) {
            assertThat(tables.put(table, "p" + i % 10, "r" + i, "text " + i)).isEqualTo(204);
        }
    }

    private static void assertAll(RawTables tables, String table, int from, int to) throws Exception {
        for (int i = from; i < to; i++) {
            assertThat(tables.get(table, "p" + i % 10, "r" + i).text()).contains("text " + i);
        }
    }

    private static String timestamp(RawTables tables) throws Exception {
        Matcher time = ETAG_TIME.matcher(tables.get("notes", "p0", "r0").text());
        assertThat(time.find()).isTrue();
        return time.group(1);
    }

    @Test
    @Tag("nightly")
    void aClusterIsRestoredFromItsBackupInAnEmptyOne() throws Exception {
        start("first", "2");
        RawTables first = tables("first");
        for (String table : List.of("notes", "gone")) {
            assertThat(first.createTable(table)).isIn(201, 204);
        }
        putAll(first, "notes", 0, 60);
        assertThat(first.deleteTable("gone")).isEqualTo(204);
        assertDone(cleave(
                "admin", "split", "--dir", cluster("first"), "--account", "cleave", "--table", "notes", "p3", "p6"));
        assertDone(backup("first"));
        assertThat(terminal.said()).contains("Backup 1 of cluster ", " is complete: 3 ranges");

        putAll(first, "notes", 60, 120);
        assertDone(backup("first"));
        assertThat(terminal.said()).contains("Backup 2 of cluster ");
        assertDone(cleave("backup", "verify", backups()));
        assertThat(terminal.said()).contains("is whole: 3 ranges").contains("There are backups [1, 2]");

        assertThat(restore("first")).isEqualTo(ExitCode.FAILED);
        assertThat(terminal.said()).contains("is not empty: it has had tables").contains("Nothing was changed");
        putAll(first, "notes", 0, 1); // Still served.

        start("second", "3");
        assertThat(backup("second")).isEqualTo(ExitCode.USAGE);
        assertThat(terminal.said())
                .contains("holds backups of cluster ", ", and this is cluster ", "give another folder");

        damageOneFile();
        assertThat(cleave("backup", "verify", backups())).isEqualTo(ExitCode.FAILED);
        assertThat(terminal.said()).contains("is damaged: its checksum does not match");
        assertThat(restore("second")).isEqualTo(ExitCode.FAILED);
        assertThat(terminal.said()).contains("the backup is damaged: ").contains("the cluster is as empty as before");
        String before = timestamp(first);
        assertDone(backup("first"));
        assertDone(cleave("backup", "verify", backups()));

        assertDone(cleave("cluster", "stop", "--dir", cluster("first")));
        FolderTree.delete(dir.resolve("first"));
        assertDone(restore("second"));
        RawTables second = tables("second");
        assertAll(second, "notes", 0, 120);
        assertThat(second.get("gone", "p", "r").status()).isEqualTo(404);
        assertThat(timestamp(second)).isEqualTo(before);
        putAll(second, "notes", 0, 1);
        assertThat(timestamp(second)).isGreaterThan(before);
        assertThat(second.createTable("gone")).isIn(201, 204);
        assertThat(second.get("gone", "p", "r").status()).isEqualTo(404);
        putAll(second, "gone", 0, 20);
        assertAll(second, "gone", 0, 20);

        assertThat(restore("second")).isEqualTo(ExitCode.FAILED);
        assertThat(terminal.said()).contains("is not empty");
    }

    @Test
    void aTableComesBackFromItsExportWithAllTypes() throws Exception {
        start("first", "1");
        Path typed = dir.resolve("typed.jsonl");
        String first = "{\"PartitionKey\":\"a'b c\",\"RowKey\":\"r 1\",\"Text\":\"x\\n\\u00e4\"," + TYPES;
        StringBuilder lines = new StringBuilder(first);
        for (int i = 0; i < 1200; i++) {
            lines.append("{\"PartitionKey\":\"p%d\",\"RowKey\":\"r%04d\",\"N\":%d}\n".formatted(i / 500, i, i));
        }
        Files.writeString(typed, lines);
        assertDone(cleave("admin", "import", "--dir", cluster("first"), "--table", "typed", typed.toString()));
        String ofCluster = "# cluster " + id("first");
        assertThat(terminal.said()).contains("Lines 1 to 1201 of " + typed + " are in table typed", ofCluster);

        Path exported = dir.resolve("exported.jsonl");
        assertDone(cleave("admin", "export", "--dir", cluster("first"), "--table", "typed", exported.toString()));
        assertThat(terminal.said()).contains("1201 entities of table typed are in " + exported, ofCluster);
        Path again = dir.resolve("again.jsonl");
        assertDone(cleave("admin", "import", "--dir", cluster("first"), "--table", "copied", exported.toString()));
        assertDone(cleave("admin", "export", "--dir", cluster("first"), "--table", "copied", again.toString()));
        assertThat(again).hasSameTextualContentAs(exported);
        Path csv = dir.resolve("exported.csv");
        Path fromCsv = dir.resolve("from-csv.jsonl");
        String cluster = cluster("first");
        assertDone(cleave("admin", "export", "--dir", cluster, "--table", "typed", "--format", "csv", csv.toString()));
        assertThat(csv.resolveSibling("exported.csv.partial")).doesNotExist();
        assertDone(cleave("admin", "import", "--dir", cluster, "--table", "csv", "--format", "csv", csv.toString()));
        assertDone(cleave("admin", "export", "--dir", cluster, "--table", "csv", fromCsv.toString()));
        assertThat(Files.readString(fromCsv).lines().skip(1))
                .containsExactlyElementsOf(
                        Files.readString(exported).lines().skip(1).toList());
        Files.writeString(csv, "PartitionKey,RowKey,N,N@type\np,1,1,Edm.Int32\np,2,two,Edm.Int32\n");
        assertThat(cleave("admin", "import", "--dir", cluster, "--table", "csv", "--format", "csv", csv.toString()))
                .isEqualTo(ExitCode.FAILED);
        assertThat(terminal.said())
                .contains("line 3 of ", "column 3 (N): 'two' is no Edm.Int32", "go on with --from 3");
        assertThat(Files.readString(exported))
                .contains("\"Int\":7", "\"Double\":5.0", "\"Large@odata.type\":\"Edm.Int64\"", "Edm.Guid", "Edm.Binary")
                .contains("2026-01-02T03:04:05.1234567Z", "\"a'b c\"");

        assertThat(cleave("admin", "export", "--dir", cluster("first"), "--table", "typed", exported.toString()))
                .isEqualTo(ExitCode.USAGE);
        assertThat(terminal.said()).contains("exists already");
        Files.writeString(typed, first + "{\"PartitionKey\":\"p\"}\n");
        assertThat(cleave("admin", "import", "--dir", cluster("first"), "--table", "typed", typed.toString()))
                .isEqualTo(ExitCode.FAILED);
        assertThat(terminal.said()).contains("line 2 of ", "it has no RowKey", "go on with --from 2");
    }

    /** Checkpoints and logs of several ranges, a deleted entity, and all types. */
    @Test
    void aTableOfABackupComesBackIntoTheRunningCluster() throws Exception {
        start("first", "1");
        String cluster = cluster("first");
        Path typed = dir.resolve("typed.jsonl");
        Files.writeString(typed, "{\"PartitionKey\":\"p1\",\"RowKey\":\"a'b \\u00e4\",\"Text\":\"x\\n\"," + TYPES);
        assertDone(cleave("admin", "import", "--dir", cluster, "--table", "Notes", typed.toString()));
        RawTables first = tables("first");
        putAll(first, "Notes", 0, 60);
        assertDone(cleave("admin", "split", "--dir", cluster, "--account", "cleave", "--table", "Notes", "p3", "p6"));
        putAll(first, "Notes", 60, 120);
        Path before = dir.resolve("before.jsonl");
        assertDone(cleave("admin", "export", "--dir", cluster, "--table", "Notes", before.toString()));
        assertDone(backup("first"));
        putAll(first, "Notes", 200, 210);
        String scratch = Files.createDirectory(dir.resolve("scratch")).toString();

        assertThat(restoreTable("cleave/notes")).isEqualTo(ExitCode.USAGE);
        assertThat(terminal.said()).contains("table Notes exists and is not empty");
        assertThat(restoreTable("cleave/other")).isEqualTo(ExitCode.USAGE);
        assertThat(terminal.said()).contains("backup 1 has no table cleave/other; account 'cleave' has Notes.");
        assertThat(restoreTable("nobody/notes")).isEqualTo(ExitCode.USAGE);
        assertThat(terminal.said()).contains("there is no table of account 'nobody' in it");

        assertDone(restoreTable("cleave/notes", "--as", "Again", "--scratch", scratch));
        assertThat(terminal.said())
                .contains("Table cleave/Notes of backup 1 is restored as table Again at ")
                .contains("121 entities; the table has 121 now.");
        assertThat(dir.resolve("scratch")).isEmptyDirectory();
        Path after = dir.resolve("after.jsonl");
        assertDone(cleave("admin", "export", "--dir", cluster, "--table", "Again", after.toString()));
        assertThat(after).hasSameTextualContentAs(before);

        assertDone(restoreTable("cleave/notes", "--into-existing"));
        assertThat(terminal.said()).contains("121 entities; the table has 131 now.");
        damageOneFile();
        assertThat(restoreTable("cleave/notes", "--as", "Damaged")).isEqualTo(ExitCode.FAILED);
        assertThat(terminal.said()).contains("the backup is damaged: ", "'cleave backup verify " + backups());
    }

    private int restoreTable(String table, String... more) {
        return terminal.run(List.of("restore", backups(), "--dir", cluster("first"), "--table", table), more);
    }

    /** One bit of one file of entities. */
    private void damageOneFile() throws IOException {
        try (Stream<Path> files = Files.walk(dir.resolve("backups").resolve("data"))) {
            Path file = files.filter(each -> each.toString().contains("-log-"))
                    .max(Comparator.comparingLong(each -> each.toFile().length()))
                    .orElseThrow();
            byte[] bytes = Files.readAllBytes(file);
            bytes[bytes.length / 2] ^= 4;
            Files.write(file, bytes);
        }
    }
}
