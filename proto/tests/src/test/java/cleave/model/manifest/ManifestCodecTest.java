package cleave.model.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.model.Damaged;
import cleave.model.Invariant;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.Row;
import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

final class ManifestCodecTest {
    private static final KeyRange LEFT = new KeyRange(Key.MIN, Key.beforeTable(7));
    private static final KeyRange RIGHT = new KeyRange(Key.beforeTable(7), null);
    private static final Manifest MANIFEST = new Manifest(
            Row.id(17, 1),
            20,
            List.of(
                    new Manifest.Checkpoint(
                            LEFT, Manifest.FileSet.of(new Manifest.File("CURRENT", "17.1/e20/c1/CURRENT", 16))),
                    new Manifest.Checkpoint(
                            RIGHT,
                            new Manifest.FileSet(
                                    List.of(new Manifest.File(
                                            "000012.sst", "17.1/e20/c2/000012.sst", 123_456_789_012L, -7)),
                                    List.of(
                                            new Manifest.InlineFile("CURRENT", ByteString.copyFromUtf8("MANIFEST-5")),
                                            new Manifest.InlineFile("MANIFEST-5", ByteString.EMPTY))))),
            List.of(
                    new Manifest.Log("17.1/e20/log-1", LEFT, 4096, 99),
                    new Manifest.Log("17.1/e20/log-1", RIGHT, 0, 0),
                    new Manifest.Log("17.1/e20/log-2", KeyRange.ALL, 0, 120)),
            638_000_000_000_000_000L,
            DroppedTables.NONE.plus(3).plus(4).plus(9));

    @Example
    void manifestComesBackFromItsBytes() {
        assertThat(ManifestCodec.decode(ManifestCodec.encode(MANIFEST))).isEqualTo(MANIFEST);
        Manifest bare = new Manifest(1, 1, List.of(), List.of(), 0, DroppedTables.NONE);
        assertThat(ManifestCodec.decode(ManifestCodec.encode(bare))).isEqualTo(bare);
    }

    @Property
    void anyChangedByteIsDamage(
            @ForAll @IntRange(max = 10_000) int where, @ForAll @IntRange(min = 1, max = 255) int how) {
        byte[] bytes = ManifestCodec.encode(MANIFEST);
        bytes[where % bytes.length] ^= (byte) how;
        assertThatThrownBy(() -> ManifestCodec.decode(bytes)).isInstanceOf(Damaged.class);
    }

    @Property
    void anyOtherLengthIsDamage(@ForAll @IntRange(max = 10_000) int length) {
        byte[] bytes = ManifestCodec.encode(MANIFEST);
        byte[] other = Arrays.copyOf(bytes, length % bytes.length);
        assertThatThrownBy(() -> ManifestCodec.decode(other)).isInstanceOf(Damaged.class);
        assertThatThrownBy(() -> ManifestCodec.decode(Arrays.copyOf(bytes, bytes.length + 1)))
                .isInstanceOf(Damaged.class);
    }

    @Property
    void anyBytesAreDamageAndNeverABug(@ForAll byte[] bytes) {
        assertThatThrownBy(() -> ManifestCodec.decode(bytes)).isInstanceOf(Damaged.class);
    }

    /** Bytes with a right checksum around them, as a codec of another version, or a bug, could write. */
    private static byte[] framed(byte[] body) {
        CRC32C crc = new CRC32C();
        crc.update(body);
        byte[] magic = Arrays.copyOf(ManifestCodec.encode(MANIFEST), Long.BYTES);
        return ByteBuffer.allocate(Long.BYTES + 8 + body.length)
                .put(magic)
                .putInt(body.length)
                .putInt((int) crc.getValue())
                .put(body)
                .array();
    }

    @Property
    void bodiesThatMakeNoSenseAreDamageOrAManifest(@ForAll byte[] body) {
        try {
            assertThat(ManifestCodec.decode(framed(body))).isNotNull();
        } catch (Damaged answer) {
            assertThat(answer).message().matches("(?s)(the )?manifest .*");
        }
    }

    @Property
    void onlyAllBytesOfAManifestAreWhole(@ForAll @IntRange(max = 10_000) int length) {
        ByteString bytes = ByteString.copyFrom(ManifestCodec.encode(MANIFEST));
        assertThat(ManifestCodec.isWhole(bytes)).isTrue();
        assertThat(ManifestCodec.isWhole(bytes.substring(0, length % bytes.size())))
                .isFalse();
        assertThat(ManifestCodec.isWhole(bytes.concat(ByteString.copyFromUtf8("x"))))
                .isFalse();
    }

    @Example
    void aManifestNeedsTheOldestReaderThatKnowsWhatItHas() {
        Manifest bare = new Manifest(1, 1, List.of(), List.of(), 0, DroppedTables.NONE);
        assertThat(ManifestCodec.encode(bare)[7]).isEqualTo((byte) 1);
        Manifest inline = new Manifest(
                1,
                1,
                List.of(new Manifest.Checkpoint(
                        RIGHT, MANIFEST.checkpoints().get(1).files().withoutChecksums())),
                List.of(),
                0,
                DroppedTables.NONE);
        assertThat(ManifestCodec.encode(inline)[7]).isEqualTo((byte) 2);
        assertThat(ManifestCodec.encode(MANIFEST)[7]).isEqualTo((byte) 3);
    }

    @Example
    void contradictionsAreDamageFromAFileAndABugHere() {
        cleave.wire.ManifestFile twice = cleave.wire.ManifestFile.newBuilder()
                .addCheckpoints(cleave.wire.CheckpointEntry.getDefaultInstance())
                .addCheckpoints(cleave.wire.CheckpointEntry.getDefaultInstance())
                .build();
        assertThatThrownBy(() -> ManifestCodec.decode(framed(twice.toByteArray())))
                .isInstanceOf(Damaged.class)
                .hasMessageContaining("same keys");
        Manifest.Checkpoint all = new Manifest.Checkpoint(KeyRange.ALL, Manifest.FileSet.of());
        assertThatThrownBy(() -> new Manifest(1, 1, List.of(all, all), List.of(), 0, DroppedTables.NONE))
                .isInstanceOf(Invariant.Violation.class);
    }
}
