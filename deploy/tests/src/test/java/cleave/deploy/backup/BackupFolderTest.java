package cleave.deploy.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.deploy.CommandFailure;
import cleave.deploy.ExitCode;
import cleave.deploy.SmallDisk;
import cleave.deploy.backup.place.FolderPlace;
import cleave.deploy.backup.place.PlaceProvider;
import cleave.deploy.backup.place.Places;
import cleave.formats.GoldenFormat;
import cleave.model.KeyRange;
import cleave.model.UnknownFormat;
import cleave.model.manifest.DroppedTables;
import cleave.model.manifest.Manifest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BackupFolderTest {
    private static final Piece ONE = new Piece("ranges/1.0/4-s1.3-checkpoint-2", 0, 3);
    private static final Piece SECOND = new Piece("ranges/1.0/4-s1.3-checkpoint-4", 0, 3);
    private static final Piece OTHER = new Piece("ranges/1.0/4-s1.3-log-1", 24, 3);

    @TempDir
    private Path scratch;

    private Path folder() {
        return scratch.resolve("backups");
    }

    private static int add(BackupFolder folder, Piece piece, String text) throws IOException {
        return folder.add(piece, null, out -> out.write(text.getBytes(StandardCharsets.UTF_8)));
    }

    private static BackupIndex index(long number, Piece piece, int checksum) {
        return indexAt(number, 0, 0, piece, checksum);
    }

    private static BackupIndex indexAt(long number, long began, long ended, Piece piece, int checksum) {
        Manifest manifest = new Manifest(
                1,
                1,
                List.of(new Manifest.Checkpoint(
                        KeyRange.ALL,
                        Manifest.FileSet.of(new Manifest.File("000008.sst", piece.path(), piece.length())))),
                List.of(),
                0,
                DroppedTables.NONE);
        return new BackupIndex(
                "c1",
                number,
                began,
                ended,
                1,
                List.of(),
                List.of(new Part(1, 1, KeyRange.ALL, manifest, new TreeMap<>())),
                new TreeMap<>(Map.of(piece, checksum)));
    }

    private List<String> files() throws IOException {
        try (Stream<Path> files = Files.walk(folder())) {
            return files.filter(Files::isRegularFile)
                    .map(file -> folder().relativize(file).toString())
                    .sorted()
                    .toList();
        }
    }

    @Test
    void withoutAnIndexThereIsNoBackupButTheNextOneUsesWhatIsThere() throws IOException {
        int checksum;
        try (BackupFolder folder = BackupFolder.toWrite(folder(), "c1", "")) {
            checksum = add(folder, ONE, "one");
        }
        try (BackupFolder folder = BackupFolder.toRead(folder())) {
            assertThatThrownBy(() -> folder.choose(null))
                    .isInstanceOf(CommandFailure.class)
                    .hasMessageContaining("there is no complete backup in " + folder());
        }
        try (BackupFolder folder = BackupFolder.toWrite(folder(), "c1", "")) {
            assertThat(folder.find(ONE)).isEqualTo(checksum);
            assertThat(folder.find(OTHER)).isNull();
        }
    }

    @Test
    void filesThatAKilledRunWasWritingAreIgnored() throws IOException {
        try (BackupFolder folder = BackupFolder.toWrite(folder(), "c1", "")) {
            add(folder, ONE, "one");
        }
        Path half = folder().resolve("data").resolve(OTHER.name() + ".partial");
        Files.writeString(half, "ot");
        try (BackupFolder folder = BackupFolder.toWrite(folder(), "c1", "")) {
            assertThat(folder.find(OTHER)).isNull();
            assertThat(half).doesNotExist();
        }
    }

    @Test
    void aDamagedFileIsNotReused() throws IOException {
        int checksum;
        try (BackupFolder folder = BackupFolder.toWrite(folder(), "c1", "")) {
            checksum = add(folder, ONE, "one");
        }
        Path file = folder().resolve("data").resolve("%s.%08x".formatted(ONE.name(), checksum));
        Files.writeString(file, "onf");
        try (BackupFolder folder = BackupFolder.toWrite(folder(), "c1", "")) {
            assertThat(folder.problem(ONE, checksum)).contains("is damaged: its checksum does not match");
            assertThat(folder.find(ONE)).isNull();
            assertThat(add(folder, ONE, "one")).isEqualTo(checksum);
            assertThat(folder.problem(ONE, checksum)).isNull();
        }
        Files.writeString(file, "on");
        try (BackupFolder folder = BackupFolder.toWrite(folder(), "c1", "")) {
            assertThat(folder.problem(ONE, checksum)).contains("has 2 bytes but must have 3");
        }
    }

    @Test
    void aTruncatedFileIsNotAdded() throws IOException {
        try (BackupFolder folder = BackupFolder.toWrite(folder(), "c1", "")) {
            assertThatThrownBy(() -> add(folder, ONE, "on")).isInstanceOf(IOException.class);
            assertThat(folder.find(ONE)).isNull();
        }
        assertThat(files()).containsExactly("cleave-backup", "lock");
    }

    @Test
    void onlyTheNewestBackupsAreKeptAndWhatTheyNeed() throws IOException {
        try (BackupFolder folder = BackupFolder.toWrite(folder(), "c1", "")) {
            folder.write(index(1, ONE, add(folder, ONE, "one")));
            Piece newer = new Piece("ranges/1.0/4-s1.3-checkpoint-5", 0, 3);
            folder.write(index(2, newer, add(folder, newer, "two")));
            assertThat(folder.numbers()).containsExactly(1L, 2L);
            assertThat(folder.keep(2).removed()).isZero();
            assertThat(folder.keep(1).removed()).isEqualTo(1);
            assertThat(folder.numbers()).containsExactly(2L);
        }
        assertThat(files()).hasSize(4).noneMatch(file -> file.contains("checkpoint-2"));
        try (BackupFolder folder = BackupFolder.toRead(folder())) {
            assertThat(folder.index(folder.choose(null)).number()).isEqualTo(2);
            assertThatThrownBy(() -> folder.choose(1L)).hasMessageContaining("there is no backup 1", "there are [2]");
        }
    }

    @Test
    void aDamagedIndexKeepsAllFilesUntilItIsOldAndPreventsNoBackup() throws IOException {
        Piece third = new Piece("ranges/1.0/4-s1.3-checkpoint-5", 0, 3);
        int checksum;
        try (BackupFolder folder = BackupFolder.toWrite(folder(), "c1", "")) {
            folder.write(index(1, ONE, add(folder, ONE, "one")));
            folder.write(index(2, SECOND, add(folder, SECOND, "two")));
            Files.writeString(folder().resolve("index-2"), "no index of any backup");
            checksum = add(folder, third, "tre");
            folder.write(index(3, third, checksum));
            BackupFolder.Kept kept = folder.keep(2);
            assertThat(kept.removed()).isEqualTo(1);
            assertThat(kept.unreadable()).singleElement().asString().contains("index-2 is damaged");
            assertThat(folder.numbers()).containsExactly(2L, 3L);
        }
        assertThat(files()).filteredOn(file -> file.startsWith("data")).hasSize(3);
        try (BackupFolder folder = BackupFolder.toWrite(folder(), "c1", "")) {
            folder.write(index(4, third, checksum));
            assertThat(folder.keep(2)).isEqualTo(new BackupFolder.Kept(1, List.of()));
        }
        assertThat(files()).filteredOn(file -> file.startsWith("data")).hasSize(1);
    }

    @Test
    void theRootOfAMountedDiskIsAFolderOfBackups() throws IOException {
        Path rootOnly = Files.createDirectories(folder().resolve("lost+found"));
        Files.setPosixFilePermissions(rootOnly, Set.of());
        try (BackupFolder folder = BackupFolder.toWrite(folder(), "c1", "")) {
            folder.write(index(1, ONE, add(folder, ONE, "one")));
            assertThat(folder.numbers()).containsExactly(1L);
        } finally {
            Files.setPosixFilePermissions(rootOnly, PosixFilePermissions.fromString("rwx------"));
        }
    }

    @Test
    void anotherClustersFolderIsRefused() {
        BackupFolder.toWrite(folder(), "c1", "").close();
        assertThatThrownBy(() -> BackupFolder.toWrite(folder(), "c2", ""))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("holds backups of cluster c1, and this is cluster c2");
    }

    @Test
    void anotherDfsOfTheClusterIsRefused() {
        BackupFolder.toWrite(folder(), "c1", "d1").close();
        BackupFolder.toWrite(folder(), "c1", "d1").close();
        assertThatThrownBy(() -> BackupFolder.toWrite(folder(), "c1", "d2"))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("holds backups of DFS d1, and this is DFS d2 of the same cluster");
        assertThatThrownBy(() -> BackupFolder.toWrite(folder(), "c1", ""))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("a DFS that does not say which one it is");
    }

    @Test
    void aFolderThatKnowsNoDfsKeepsItsBackupsAndKnowsTheNextOne() throws IOException {
        try (BackupFolder folder = BackupFolder.toWrite(folder(), "c1", "")) {
            folder.write(index(1, ONE, add(folder, ONE, "one")));
        }
        try (BackupFolder folder = BackupFolder.toWrite(folder(), "c1", "d1")) {
            assertThat(folder.numbers()).containsExactly(1L);
            assertThat(folder.find(ONE)).isNotNull();
        }
        try (BackupFolder folder = BackupFolder.toRead(folder())) {
            assertThat(folder.dfs()).isEqualTo("d1");
            assertThat(folder.index(1).cluster()).isEqualTo("c1");
        }
    }

    @Test
    void bothFormatsAreReadAsTheyWereWritten() throws IOException {
        assertHeader(1, "");
        assertHeader(2, "d1");
    }

    private void assertHeader(int format, String dfs) throws IOException {
        Path folder = scratch.resolve("format-" + format);
        BackupFolder.toWrite(folder, "c1", dfs).close();
        GoldenFormat golden = GoldenFormat.of("backup-folder", format);
        golden.assertIsWritten("cleave-backup", Files.readAllBytes(folder.resolve("cleave-backup")));
        Files.write(folder.resolve("cleave-backup"), golden.file("cleave-backup"));
        try (BackupFolder read = BackupFolder.toRead(folder)) {
            assertThat(List.of(read.cluster(), read.dfs())).containsExactly("c1", dfs);
        }
    }

    @Test
    void aNewerFormatIsUnknownAndNotDamaged() throws IOException {
        BackupFolder.toWrite(folder(), "c1", "d1").close();
        Files.writeString(folder().resolve("cleave-backup"), "cleave backup 3\nof something\n");
        assertThatThrownBy(() -> BackupFolder.toRead(folder()))
                .isInstanceOf(UnknownFormat.class)
                .hasMessageContaining("format 3");
    }

    @Test
    void aFolderOfOtherFilesIsRefusedAndLeftAsItIs() throws IOException {
        Files.createDirectory(folder());
        Files.writeString(folder().resolve("letters"), "x");
        assertThatThrownBy(() -> BackupFolder.toWrite(folder(), "c1", ""))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("is no folder of backups, but there are files in it, such as letters;");
        assertThatThrownBy(() -> BackupFolder.toRead(folder())).hasMessageContaining("is no folder of backups");
        assertThat(files()).containsExactly("letters");
    }

    @Test
    void twoBackupsAtOnceDoNotMeetInOneFolder() {
        try (BackupFolder held = BackupFolder.toWrite(folder(), "c1", "")) {
            assertThat(held.place()).hasToString(folder().toString());
            assertThatThrownBy(() -> BackupFolder.toWrite(folder(), "c1", ""))
                    .isInstanceOfSatisfying(
                            CommandFailure.class,
                            taken -> assertThat(taken.exitCode()).isEqualTo(ExitCode.TAKEN))
                    .hasMessageContaining("is in use by another process")
                    .hasMessageContaining("wait until it has ended");
        }
    }

    @Test
    void aFullDiskIsNamedAndTheNextRunGoesOn() throws IOException {
        Piece large = new Piece("ranges/1.0/4-s1.3-checkpoint-9", 0, 8 << 20);
        try (SmallDisk disk = SmallDisk.mount(scratch.resolve("small"), 4)) {
            Path folder = scratch.resolve("small").resolve("backups");
            try (BackupFolder opened = BackupFolder.toWrite(folder, "c1", "")) {
                add(opened, ONE, "one");
                assertThatThrownBy(() -> opened.add(large, null, out -> out.write(new byte[8 << 20])))
                        .isInstanceOfSatisfying(
                                IOException.class,
                                full -> assertThat(new FolderPlace(folder).failure(full))
                                        .hasMessageContaining("the disk of " + folder + " is full")
                                        .hasMessageContaining("run the same command again"));
            }
            assertThat(disk.freeBytes()).isGreaterThan(3 << 20);
            try (BackupFolder opened = BackupFolder.toWrite(folder, "c1", "")) {
                assertThat(opened.find(ONE)).isNotNull();
                assertThat(opened.find(large)).isNull();
            }
        }
    }

    @Test
    void aDiskThatIsFullFromTheStartIsNamed() throws IOException {
        try (SmallDisk disk = SmallDisk.mount(scratch.resolve("small"), 1)) {
            disk.fill();
            assertThatThrownBy(
                            () -> BackupFolder.toWrite(scratch.resolve("small").resolve("backups"), "c1", ""))
                    .isInstanceOf(CommandFailure.class)
                    .hasMessageContaining("is full")
                    .hasMessageContaining("make room and run the same command again");
        }
    }

    @Test
    void anIndexThatDoesNotFitIsNoBackupAndTheNextRunMakesIt() throws IOException {
        try (SmallDisk disk = SmallDisk.mount(scratch.resolve("small"), 1)) {
            Path folder = scratch.resolve("small").resolve("backups");
            try (BackupFolder opened = BackupFolder.toWrite(folder, "c1", "")) {
                BackupIndex index = index(1, ONE, add(opened, ONE, "one"));
                disk.fill();
                assertThatThrownBy(() -> opened.write(index)).isInstanceOf(IOException.class);
                assertThat(opened.numbers()).isEmpty();
                assertThat(folder.resolve("index-1.partial")).doesNotExist();
                disk.release();
                opened.write(index);
                assertThat(opened.index(opened.choose(null))).isEqualTo(index);
            }
        }
    }

    /** A failure to clean up says less than the failure before it. */
    @Test
    void aFailedWriteIsReportedAsItFailed() throws IOException {
        try (BackupFolder opened = BackupFolder.toWrite(folder(), "c1", "")) {
            BackupIndex index = index(1, ONE, add(opened, ONE, "one"));
            Files.createDirectories(folder().resolve("index-1.partial").resolve("full"));

            assertThatThrownBy(() -> opened.write(index))
                    .isInstanceOf(FileSystemException.class)
                    .isNotInstanceOf(DirectoryNotEmptyException.class)
                    .satisfies(failed -> assertThat(failed.getSuppressed())
                            .singleElement()
                            .isInstanceOf(DirectoryNotEmptyException.class));
        }
    }

    @Test
    void aFileIsNoFolder() throws IOException {
        Path file = Files.createFile(scratch.resolve("file"));
        assertThatThrownBy(() -> BackupFolder.toWrite(file, "c1", ""))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining(file + " is not a folder");
    }

    @Test
    void theParentOfTheFolderMayBeAFile() throws IOException {
        Path file = Files.createFile(scratch.resolve("file"));
        assertThatThrownBy(() -> BackupFolder.toWrite(file.resolve("backups"), "c1", ""))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("the folder " + file.resolve("backups") + " cannot be used");
    }

    @Test
    void strangersFilesBesideTheBackupsAreNeitherUsedNorDeleted() throws IOException {
        try (BackupFolder folder = BackupFolder.toWrite(folder(), "c1", "")) {
            folder.write(index(1, ONE, add(folder, ONE, "one")));
        }
        List<String> strange =
                List.of("notes.txt", "index-1.bak", "index-01", "data/photo.jpg", "data/ranges/1.0/x@0+3");
        for (String each : strange) {
            Files.writeString(folder().resolve(each), "strange");
        }
        try (BackupFolder folder = BackupFolder.toWrite(folder(), "c1", "")) {
            assertThat(folder.numbers()).containsExactly(1L);
            folder.write(index(2, SECOND, add(folder, SECOND, "two")));
            assertThat(folder.keep(1)).isEqualTo(new BackupFolder.Kept(1, List.of()));
        }
        assertThat(files()).containsAll(strange).noneMatch(file -> file.contains("checkpoint-2"));
    }

    @Test
    void theOldestBackupIsTheOneWithTheLowestNumberRegardlessOfClocks() throws IOException {
        try (BackupFolder folder = BackupFolder.toWrite(folder(), "c1", "")) {
            folder.write(indexAt(1, 2_000, 1_000, ONE, add(folder, ONE, "one"))); // The clock jumped back meanwhile,
            folder.write(indexAt(2, 10, 20, SECOND, add(folder, SECOND, "two"))); // and once more.
            assertThat(folder.keep(1).removed()).isEqualTo(1);
            assertThat(folder.index(folder.choose(null)).number()).isEqualTo(2);
        }
    }

    @Test
    void aDeletionOfOldBackupsThatWasKilledIsCompletedByTheNextBackup() throws IOException {
        try (BackupFolder folder = BackupFolder.toWrite(folder(), "c1", "")) {
            folder.write(index(1, ONE, add(folder, ONE, "one")));
            folder.write(index(2, SECOND, add(folder, SECOND, "two")));
        }
        Files.delete(folder().resolve("index-1")); // Then it was killed.
        try (BackupFolder folder = BackupFolder.toWrite(folder(), "c1", "")) {
            folder.keep(7);
        }
        assertThat(files()).filteredOn(file -> file.startsWith("data")).hasSize(1);
    }

    @Test
    void aFolderMayBeWrittenAsAUri() {
        assertThat(Places.folder("file:///b/c")).isEqualTo(Path.of("/b/c"));
        assertThat(Places.folder("file:/b/c")).isEqualTo(Path.of("/b/c"));
        assertThat(Places.folder("file://localhost/b/c")).isEqualTo(Path.of("/b/c"));
        assertThat(Places.folder("FILE:/b/two%20words")).isEqualTo(Path.of("/b/two words"));
        assertThat(Places.folder("b/c")).isEqualTo(Path.of("b/c"));
        assertThat(Places.folder("./b:c")).isEqualTo(Path.of("./b:c"));
    }

    /** The last two would be taken for /c and b/c: a slip that sends a backup elsewhere. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "gs://bucket/x",
                "https://store/x",
                "hdfs:/x",
                "",
                "file:",
                "file:///b%zz",
                "file://b/c",
                "file:b/c",
                "file:/srv/backups#2",
                "file:/srv/b?x",
                "file:/srv/b c"
            })
    void anyOtherUriIsRefusedWithTheRightForm(String text) {
        assertThatThrownBy(() -> Places.folder(text))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("'" + text + "' is neither a folder nor file:/some/folder")
                .hasMessageContaining("a space is written %20");
    }

    @Test
    void withoutTheirClientsObjectStoresAreRefused() {
        assertThatThrownBy(() -> Places.open("s3://bucket/x", PlaceProvider.Options.NONE))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("the client of s3:// is not on the class path");
        assertThatThrownBy(() -> Places.open("/b/c", new PlaceProvider.Options("http://minio:9000", null, false, null)))
                .hasMessageContaining(
                        "are for object stores (azblob://ACCOUNT/CONTAINER/PREFIX, s3://BUCKET/PREFIX), but '/b/c' is a folder");
    }

    @Test
    void aFolderWithSpecialCharactersIsGivenAsItIsOrEscaped() {
        assertThat(Places.folder("/srv/backups#2")).isEqualTo(Path.of("/srv/backups#2"));
        assertThat(Places.folder("/srv/b c?")).isEqualTo(Path.of("/srv/b c?"));
        assertThat(Places.folder("file:/srv/backups%232")).isEqualTo(Path.of("/srv/backups#2"));
    }
}
