package cleave.deploy.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.deploy.CommandFailure;
import cleave.deploy.backup.place.BackupPlace;
import cleave.deploy.backup.place.Places;
import cleave.model.KeyRange;
import cleave.model.manifest.DroppedTables;
import cleave.model.manifest.Manifest;
import cleave.objects.TestServers;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Backups in an object store of any kind: the same as in a folder, and continued, verified and refused as there. */
abstract class ObjectBackupsContract {
    private static final int LARGE = (17 << 20) + 3;
    private static final Piece ONE = new Piece("ranges/1.0/4-s1.3-checkpoint-2", 0, LARGE);
    private static final Piece OTHER = new Piece("ranges/1.0/4-s1.3-checkpoint-4", 0, 3);

    @TempDir
    private static Path dir;

    private static @Nullable TestServers shared;

    abstract TestServers.Kind kind();

    @AfterAll
    static void stop() throws IOException {
        if (shared != null) {
            shared.close();
            shared = null;
        }
    }

    /** One that all tests share. */
    private TestServers server() throws Exception {
        TestServers running = shared == null ? TestServers.start(kind(), dir) : shared;
        shared = running;
        return running;
    }

    private static byte[] content() {
        byte[] bytes = new byte[LARGE];
        new Random(1).nextBytes(bytes);
        return bytes;
    }

    private static BackupIndex index(long number, Piece piece, int checksum) {
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
                0,
                0,
                1,
                List.of(),
                List.of(new Part(1, 1, KeyRange.ALL, manifest, new TreeMap<>())),
                new TreeMap<>(Map.of(piece, checksum)));
    }

    @Test
    void aBackupThatWasInterruptedGoesOnAndTheOldOneStays() throws Exception {
        byte[] content = content();
        TestServers server = server();
        int checksum;
        try (BackupFolder folder = BackupFolder.toWrite(server.place("c"), "c1", "d1", false)) {
            checksum = folder.add(ONE, null, out -> out.write(content));
            folder.write(index(1, ONE, checksum));
        }
        try (BackupFolder folder = BackupFolder.toWrite(server.place("c"), "c1", "d1", false)) {
            assertThat(folder.find(ONE)).as("what is there is not copied again").isEqualTo(checksum);
            folder.add(OTHER, null, out -> out.write(new byte[3]));
            Piece next = new Piece("ranges/1.0/4-s1.3-checkpoint-5", 0, LARGE);
            assertThatThrownBy(() -> folder.add(next, null, out -> {
                        out.write(content, 0, 12 << 20);
                        throw new IOException("the machine is gone");
                    }))
                    .hasMessage("the machine is gone");
        }
        try (BackupFolder folder = BackupFolder.toRead(server.place("c"))) {
            assertThat(folder.index(folder.choose(null)).number()).isEqualTo(1);
            assertThat(folder.problem(ONE, checksum)).isNull();
        }
        try (BackupFolder folder = BackupFolder.toWrite(server.place("c"), "c1", "d1", false)) {
            assertThat(folder.find(OTHER))
                    .as("a piece without an index is used")
                    .isNotNull();
            folder.write(index(2, OTHER, Objects.requireNonNull(folder.find(OTHER))));
            assertThat(folder.keep(1)).isEqualTo(new BackupFolder.Kept(1, List.of()));
            assertThat(folder.numbers()).containsExactly(2L);
        }
        try (BackupPlace place = server.place("c")) {
            assertThat(place.below("data/")).hasSize(1);
            assertThatThrownBy(() -> BackupFolder.toWrite(server.place("c"), "c2", "", false))
                    .isInstanceOf(CommandFailure.class)
                    .hasMessageContaining("holds backups of cluster c1, and this is cluster c2");
        }
        try (BackupPlace place = server.place("letters")) {
            place.put("photo.jpg", new byte[3]);
            assertThatThrownBy(() -> BackupFolder.toWrite(server.place("letters"), "c1", "", false))
                    .hasMessageContaining("is no folder of backups, but there are files in it, such as photo.jpg");
        }
    }

    @Test
    void aRottenObjectIsFoundAndCopiedAnewOnlyIfItIsReread() throws Exception {
        byte[] content = content();
        TestServers server = server();
        int checksum;
        try (BackupFolder folder = BackupFolder.toWrite(server.place("rotten"), "c1", "d1", false)) {
            checksum = folder.add(ONE, null, out -> out.write(content));
            folder.write(index(1, ONE, checksum));
        }
        String name = BackupPlace.named("data/" + ONE.name(), checksum);
        byte[] rotten = content.clone();
        rotten[LARGE / 2] ^= 4;
        try (BackupPlace place = server.place("rotten")) {
            place.put(name, rotten);
        }
        try (BackupFolder folder = BackupFolder.toRead(server.place("rotten"))) {
            assertThat(folder.problem(ONE, checksum))
                    .isEqualTo(server.url("rotten") + "/" + name + " is damaged: its checksum does not match");
        }
        try (BackupFolder folder = BackupFolder.toWrite(server.place("rotten"), "c1", "d1", false)) {
            assertThat(folder.find(ONE)).isEqualTo(checksum);
        }
        try (BackupFolder folder = BackupFolder.toWrite(server.place("rotten"), "c1", "d1", true)) {
            assertThat(folder.find(ONE)).isNull();
            assertThat(folder.add(ONE, checksum, out -> out.write(content))).isEqualTo(checksum);
            try (InputStream in = folder.open(ONE, checksum)) {
                assertThat(in.readAllBytes()).isEqualTo(content);
            }
        }
        try (BackupPlace place = server.place("rotten")) {
            place.put(name, new byte[5]);
        }
        try (BackupFolder folder = BackupFolder.toWrite(server.place("rotten"), "c1", "d1", false)) {
            assertThat(folder.find(ONE)).as("lengths are compared in any case").isNull();
        }
        try (BackupFolder folder = BackupFolder.toRead(server.place("rotten"))) {
            assertThat(folder.problem(ONE, checksum)).endsWith(" is missing");
        }
    }

    @Test
    void whatACommandNamesIsOpened() throws Exception {
        TestServers server = server();
        try (BackupPlace place = Places.open(server.url("x"), server.options())) {
            assertThat(place).hasToString(server.url("x"));
            assertThat(place.top()).isEmpty();
            assertThatThrownBy(() -> BackupFolder.toRead(server.place("x")))
                    .hasMessage(server.url("x") + " is no folder of backups: there is no file cleave-backup in it");
        }
    }
}
