package cleave.deploy.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.formats.GoldenFormat;
import cleave.model.Damaged;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.Row;
import cleave.model.UnknownFormat;
import cleave.model.manifest.DroppedTables;
import cleave.model.manifest.Manifest;
import cleave.wire.PendingDrop;
import com.google.protobuf.ByteString;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class BackupIndexTest {
    private static final Key MIDDLE = Key.beforePartition(4, "de");
    private static final KeyRange LEFT = new KeyRange(Key.MIN, MIDDLE);
    private static final KeyRange RIGHT = new KeyRange(MIDDLE, null);
    private static final Piece SHARED = new Piece("ranges/1.0/4-s1.3-checkpoint-2", 0, 100);
    private static final Piece LOG = new Piece("ranges/1.0/4-s1.3-log-1", 24, 40);

    /** A child of a split: it shares its parent's checkpoint, and replays its log from a position on. */
    private static Part left() {
        Manifest manifest = new Manifest(
                Row.id(9, 0),
                9,
                List.of(new Manifest.Checkpoint(
                        LEFT, Manifest.FileSet.of(new Manifest.File("000008.sst", SHARED.path(), 100)))),
                List.of(
                        new Manifest.Log(LOG.path(), LEFT, 24, 7),
                        new Manifest.Log("ranges/9.0/9-s1.3-log-5", LEFT, 0, 1)),
                1000,
                new DroppedTables(List.of(new DroppedTables.Interval(2, 2))));
        return new Part(
                Row.id(9, 0), 9, LEFT, manifest, new TreeMap<>(Map.of(LOG.path(), 64L, "ranges/9.0/9-s1.3-log-5", 0L)));
    }

    private static Part right() {
        Manifest manifest = new Manifest(
                Row.id(9, 1),
                9,
                List.of(new Manifest.Checkpoint(
                        KeyRange.ALL, Manifest.FileSet.of(new Manifest.File("000008.sst", SHARED.path(), 100)))),
                List.of(new Manifest.Log(LOG.path(), RIGHT, 24, 7)),
                2000,
                DroppedTables.NONE);
        return new Part(Row.id(9, 1), 9, RIGHT, manifest, new TreeMap<>(Map.of(LOG.path(), 64L)));
    }

    private static BackupIndex index() {
        return new BackupIndex(
                "9f3c2f5e-7a0b-4c52-8d56-1f0f5a3c7b11",
                3,
                1_700_000_000_000L,
                1_700_000_009_000L,
                9,
                List.of(PendingDrop.newBuilder()
                        .setAccount("account")
                        .setName("orders")
                        .setTable(3)
                        .build()),
                List.of(left(), right()),
                new TreeMap<>(Map.of(SHARED, 0x12345678, LOG, 0x9abcdef0)));
    }

    @Test
    void isReadAsItWasWritten() {
        GoldenFormat golden = GoldenFormat.of("backup-index", 1);
        golden.assertIsWritten("index", index().encode());
        assertThat(BackupIndex.decode(golden.file("index"))).isEqualTo(index());
    }

    @Test
    void everyDamagedBitIsSeen() {
        byte[] whole = index().encode();
        for (int bit = 0; bit < whole.length * 8; bit++) {
            byte[] damaged = whole.clone();
            damaged[bit / 8] ^= (byte) (1 << bit % 8);
            assertThatThrownBy(() -> BackupIndex.decode(damaged)).isInstanceOf(Damaged.class);
        }
        assertThatThrownBy(() -> BackupIndex.decode(Arrays.copyOf(whole, whole.length - 1)))
                .isInstanceOf(Damaged.class);
    }

    @Test
    void aNewerFormatIsUnknownAndNotDamaged() {
        byte[] newer = index().encode();
        newer[7] = 2;
        assertThatThrownBy(() -> BackupIndex.decode(newer))
                .isInstanceOf(UnknownFormat.class)
                .hasMessageContaining("format 2");
    }

    @Test
    void partsThatDoNotCoverTheKeySpaceAreNoBackup() {
        BackupIndex whole = index();
        for (List<Part> parts : List.of(List.<Part>of(), List.of(left()), List.of(right()), List.of(right(), left()))) {
            assertThatThrownBy(() -> new BackupIndex("c", 1, 0, 0, 9, List.of(), parts, whole.checksums()))
                    .isInstanceOf(Damaged.class)
                    .hasMessageContaining("do not tile the key space");
        }
    }

    @Test
    void aPieceWithoutChecksumIsNoBackup() {
        TreeMap<Piece, Integer> less = new TreeMap<>(index().checksums());
        less.remove(LOG);
        assertThatThrownBy(() -> new BackupIndex("c", 1, 0, 0, 9, List.of(), index().parts(), less))
                .isInstanceOf(Damaged.class)
                .hasMessageContaining("no checksum of " + LOG.name());
    }

    @Test
    void noNameLeadsOutOfTheFolder() {
        for (String path : List.of("../x", "/etc/x", "a/../../x", "a//b", "", "a/.b", "a/b/")) {
            assertThatThrownBy(() -> new Piece(path, 0, 1)).isInstanceOf(Damaged.class);
        }
    }

    /** The cluster may not have reached the level of inline files. */
    @Test
    void whatWasInlineIsAFileOfTheRestoredCluster() {
        Manifest.InlineFile current = new Manifest.InlineFile("CURRENT", ByteString.copyFromUtf8("MANIFEST-000005\n"));
        Manifest.File sorted = new Manifest.File("000008.sst", SHARED.path(), 100);
        Manifest manifest = new Manifest(
                Row.id(1, 0),
                1,
                List.of(new Manifest.Checkpoint(KeyRange.ALL, new Manifest.FileSet(List.of(sorted), List.of(current)))),
                List.of(),
                0,
                DroppedTables.NONE);
        Part part = new Part(Row.id(1, 0), 1, KeyRange.ALL, manifest, new TreeMap<>());
        assertThat(part.pieces()).containsExactly(SHARED);
        assertThat(part.inlineFiles()).containsExactly(current);
        Row row = new Row(Row.id(1, 0), KeyRange.ALL, null, null, 1, 1);

        Manifest restored = RestoreRun.manifest(
                row, List.of(part), new RestoreRun.Copies(Map.of(SHARED, "copy-1"), Map.of(current, "inline-2")));

        assertThat(restored.checkpoints().get(0).files())
                .isEqualTo(Manifest.FileSet.of(
                        new Manifest.File("000008.sst", "copy-1", 100), new Manifest.File("CURRENT", "inline-2", 16)));
    }

    /** Files are narrowed to a part's interval, a shared file is named by both parts, and positions follow the cut. */
    @Test
    void restoredManifestsNameTheCopies() {
        Row row = new Row(Row.id(1, 0), KeyRange.ALL, null, null, 1, 1);
        RestoreRun.Copies copies = new RestoreRun.Copies(Map.of(SHARED, "copy-1", LOG, "copy-2"), Map.of());

        Manifest one = RestoreRun.manifest(row, List.of(left()), copies);
        Manifest other = RestoreRun.manifest(row, List.of(right()), copies);
        Manifest both = RestoreRun.manifest(row, List.of(left(), right()), copies);

        Manifest.FileSet files = Manifest.FileSet.of(new Manifest.File("000008.sst", "copy-1", 100));
        assertThat(one.checkpoints()).containsExactly(new Manifest.Checkpoint(LEFT, files));
        assertThat(one.logs()).containsExactly(new Manifest.Log("copy-2", LEFT, 0, 7));
        assertThat(one.highestTimestamp()).isEqualTo(1000);
        assertThat(other.checkpoints()).containsExactly(new Manifest.Checkpoint(RIGHT, files));
        assertThat(both.checkpoints())
                .containsExactly(new Manifest.Checkpoint(LEFT, files), new Manifest.Checkpoint(RIGHT, files));
        assertThat(both.logs())
                .containsExactly(new Manifest.Log("copy-2", LEFT, 0, 7), new Manifest.Log("copy-2", RIGHT, 0, 7));
        assertThat(both.highestTimestamp()).isEqualTo(2000);
        assertThat(both.dropped().contains(2)).isTrue();
    }

    @Test
    void moreRangesThanOneCommandTakesAreRestoredInGroups() {
        List<Integer> all = List.of(1, 2, 3, 4, 5);
        assertThat(RestoreRun.groups(all, 5, group -> 1, 5)).hasSize(5);
        assertThat(RestoreRun.groups(all, 2, group -> 1, 5)).containsExactly(List.of(1, 2, 3), List.of(4, 5));
        assertThat(RestoreRun.groups(all, 5, group -> 1, 4)).containsExactly(List.of(1, 2), List.of(3, 4), List.of(5));
        assertThat(RestoreRun.groups(all, 5, group -> 1, 0)).containsExactly(all);
    }
}
