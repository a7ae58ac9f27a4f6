package cleave.model;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.formats.GoldenFormat;
import cleave.model.entity.EdmType;
import cleave.model.entity.Entity;
import cleave.model.entity.EntityCodec;
import cleave.model.entity.Property;
import cleave.model.manifest.DroppedTables;
import cleave.model.manifest.Manifest;
import cleave.model.manifest.ManifestCodec;
import cleave.model.table.AccessPolicy;
import cleave.model.table.Registry;
import com.google.protobuf.ByteString;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The files of earlier versions are read, and are still written byte by byte as long as their format's version stays. */
final class GoldenFormatsTest {
    private static final KeyRange LEFT = new KeyRange(Key.MIN, Key.beforeTable(7));
    private static final KeyRange RIGHT = new KeyRange(Key.beforeTable(7), null);
    private static final Manifest MANIFEST = new Manifest(
            Row.id(17, 1),
            20,
            List.of(
                    new Manifest.Checkpoint(LEFT, Manifest.FileSet.of(new Manifest.File("CURRENT", "17.1/e20/c1", 16))),
                    new Manifest.Checkpoint(
                            RIGHT,
                            Manifest.FileSet.of(new Manifest.File("000012.sst", "17.1/e20/c2", 123_456_789_012L)))),
            List.of(
                    new Manifest.Log("17.1/e20/log-1", RIGHT, 4096, 99),
                    new Manifest.Log("17.1/e20/log-2", KeyRange.ALL, 0, 120)),
            638_000_000_000_000_000L,
            DroppedTables.NONE.plus(3).plus(4).plus(9));
    private static final Manifest INLINE = new Manifest(
            Row.id(17, 1),
            21,
            List.of(new Manifest.Checkpoint(
                    KeyRange.ALL,
                    new Manifest.FileSet(
                            List.of(new Manifest.File("000012.sst", "17.1/e20/c2", 123_456_789_012L)),
                            List.of(new Manifest.InlineFile(
                                    "CURRENT", ByteString.copyFromUtf8("MANIFEST-000005\n")))))),
            List.of(new Manifest.Log("17.1/e21/log-1", KeyRange.ALL, 0, 0)),
            638_000_000_000_000_000L,
            DroppedTables.NONE);
    private static final Manifest CHECKED = new Manifest(
            Row.id(17, 1),
            22,
            List.of(new Manifest.Checkpoint(
                    KeyRange.ALL,
                    Manifest.FileSet.of(
                            new Manifest.File("000012.sst", "17.1/e20/c2", 123_456_789_012L),
                            new Manifest.File("000013.sst", "17.1/e20/c3", 16, 0x8a9136aa)))),
            List.of(new Manifest.Log("17.1/e22/log-1", KeyRange.ALL, 0, 0)),
            638_000_000_000_000_000L,
            DroppedTables.NONE);
    private static final Entity ENTITY = new Entity(
            638_000_000_000_000_001L,
            List.of(
                    new Property("Text", EdmType.STRING, "caf\u00e9 \ud83d\ude80"),
                    new Property("Bytes", EdmType.BINARY, new byte[] {0, -1, 7}),
                    new Property("Flag", EdmType.BOOLEAN, true),
                    new Property("Small", EdmType.INT32, -5),
                    new Property("Large", EdmType.INT64, Long.MIN_VALUE),
                    new Property("Real", EdmType.DOUBLE, 0.1),
                    new Property("When", EdmType.DATETIME, 600_000_000_000_000_000L),
                    new Property("Which", EdmType.GUID, UUID.fromString("c9da6455-213d-42c9-9a79-3e9149a57833"))));
    private static final Registry TABLE = new Registry(
            12,
            "Orders",
            true,
            List.of(
                    new AccessPolicy("readers", 600_000_000_000_000_000L, 700_000_000_000_000_000L, "r"),
                    new AccessPolicy("bare", null, null, null)));

    @Test
    void manifests() {
        GoldenFormat golden = GoldenFormat.of("manifest", 1);
        golden.assertIsWritten("manifest", ManifestCodec.encode(MANIFEST));
        assertThat(ManifestCodec.decode(golden.file("manifest"))).isEqualTo(MANIFEST);
        GoldenFormat second = GoldenFormat.of("manifest", 2);
        second.assertIsWritten("inline", ManifestCodec.encode(INLINE));
        assertThat(ManifestCodec.decode(second.file("inline"))).isEqualTo(INLINE);
        GoldenFormat third = GoldenFormat.of("manifest", 3);
        third.assertIsWritten("checked", ManifestCodec.encode(CHECKED));
        assertThat(ManifestCodec.decode(third.file("checked"))).isEqualTo(CHECKED);
    }

    @Test
    void identitiesOfADfs() {
        DfsIdentity copy = DfsIdentity.ofCopy(
                "11111111-2222-3333-4444-555555555555", DfsIdentity.of("22222222-2222-3333-4444-555555555555"));
        DfsIdentity copyOfACopy = DfsIdentity.ofCopy("33333333-2222-3333-4444-555555555555", copy);
        GoldenFormat first = GoldenFormat.of("dfs-identity", 1);
        first.assertIsWritten("copy", copy.line().getBytes(StandardCharsets.UTF_8));
        assertThat(DfsIdentity.ofLine(new String(first.file("copy"), StandardCharsets.UTF_8)))
                .isEqualTo(copy);
        GoldenFormat second = GoldenFormat.of("dfs-identity", 2);
        second.assertIsWritten("copy-of-a-copy", copyOfACopy.line().getBytes(StandardCharsets.UTF_8));
        assertThat(DfsIdentity.ofLine(new String(second.file("copy-of-a-copy"), StandardCharsets.UTF_8)))
                .isEqualTo(copyOfACopy);
    }

    @Test
    void entities() {
        GoldenFormat golden = GoldenFormat.of("entity", 1);
        golden.assertIsWritten("entity", EntityCodec.encode(ENTITY));
        Entity read = EntityCodec.decode(golden.file("entity"));
        assertThat(EntityCodec.encode(read)).isEqualTo(golden.file("entity"));
        assertThat(read.properties().get(0)).isEqualTo(ENTITY.properties().get(0));
        assertThat(read.timestamp()).isEqualTo(ENTITY.timestamp());
    }

    @Test
    void rowsOfTheRegistry() {
        GoldenFormat golden = GoldenFormat.of("registry-row", 1);
        golden.assertIsWritten("row", EntityCodec.encode(TABLE.toEntity()));
        assertThat(Registry.of(EntityCodec.decode(golden.file("row")))).isEqualTo(TABLE);
    }

    @Test
    void keys() {
        GoldenFormat golden = GoldenFormat.of("key", 1);
        Key key = Key.of(7, "caf\u00e9", "\ud83d\ude80");
        golden.assertIsWritten("key", key.bytes());
        assertThat(Key.wrap(golden.file("key"))).isEqualTo(key);
        assertThat(new String(golden.file("key"), 8, 5, StandardCharsets.UTF_8)).isEqualTo("caf\u00e9");
    }
}
