package cleave.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.model.entity.EdmType;
import cleave.model.entity.Entity;
import cleave.model.entity.EntityCodec;
import cleave.model.entity.Property;
import cleave.model.manifest.DroppedTables;
import cleave.model.manifest.Manifest;
import cleave.model.manifest.ManifestCodec;
import cleave.model.table.AccessPolicy;
import cleave.model.table.Registry;
import cleave.wire.ErrorCode;
import cleave.wire.ManifestFile;
import cleave.wire.Status;
import cleave.wire.StoredPolicies;
import cleave.wire.TableInterval;
import com.google.protobuf.UnknownFieldSet;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

/** Formats of a newer version are distinguished from damage. */
class UnknownFormatTest {
    private static final UnknownFieldSet UNKNOWN = UnknownFieldSet.newBuilder()
            .addField(1000, UnknownFieldSet.Field.newBuilder().addVarint(7).build())
            .build();

    @Test
    void aManifestOfANewerFormat() {
        byte[] bytes = ManifestCodec.encode(new Manifest(1, 1, List.of(), List.of(), 0, DroppedTables.NONE));
        bytes[7] = 4;
        assertThatThrownBy(() -> ManifestCodec.decode(bytes))
                .isInstanceOf(UnknownFormat.class)
                .hasMessage(
                        "the manifest has format 4; this version of Cleave knows formats 1 to 3. Nothing is damaged: start"
                                + " the version that wrote it, or a newer one");
        bytes[0] ^= 1;
        assertThatThrownBy(() -> ManifestCodec.decode(bytes)).isNotInstanceOf(UnknownFormat.class);
    }

    @Test
    void aManifestWithAFieldOfANewerVersion() {
        byte[] body = ManifestFile.newBuilder()
                .setRange(1)
                .addDropped(TableInterval.newBuilder().setFirst(1).setLast(2).mergeUnknownFields(UNKNOWN))
                .build()
                .toByteArray();
        CRC32C crc = new CRC32C();
        crc.update(body);
        byte[] bytes = ByteBuffer.allocate(16 + body.length)
                .putLong(0x436c656176654d01L)
                .putInt(body.length)
                .putInt((int) crc.getValue())
                .put(body)
                .array();
        assertThatThrownBy(() -> ManifestCodec.decode(bytes))
                .isInstanceOf(UnknownFormat.class)
                .hasMessageContaining("unknown fields [1000] in TableInterval");
    }

    @Test
    void anEntityOfANewerFormat() {
        byte[] bytes = EntityCodec.encode(new Entity(1, List.of()));
        bytes[0] = 2;
        assertThatThrownBy(() -> EntityCodec.decode(bytes))
                .isInstanceOf(UnknownFormat.class)
                .hasMessageContaining("an entity has format 2");
        bytes[0] = 0;
        assertThatThrownBy(() -> EntityCodec.decode(bytes)).isNotInstanceOf(UnknownFormat.class);
    }

    @Test
    void aRowOfTheRegistryOfANewerFormat() {
        Entity row = new Registry(7, "Orders", false).toEntity();
        List<Property> properties = new ArrayList<>(row.properties());
        properties.add(new Property("Format", EdmType.INT32, 2));
        assertThatThrownBy(() -> Registry.of(new Entity(0, properties)))
                .isInstanceOf(UnknownFormat.class)
                .hasMessageContaining("a row of the registry has format 2");
        byte[] policies =
                StoredPolicies.newBuilder().mergeUnknownFields(UNKNOWN).build().toByteArray();
        assertThatThrownBy(() -> AccessPolicy.decode(policies)).isInstanceOf(UnknownFormat.class);
    }

    @Test
    void aValueOfAnEnumThatANewerVersionAdded() {
        Status known = Status.newBuilder().setCode(ErrorCode.BUSY).build();
        KnownFields.check("a status", known);
        Status newer = Status.newBuilder().setCodeValue(4711).build();
        assertThatThrownBy(() -> KnownFields.check("a status", newer))
                .isInstanceOf(UnknownFormat.class)
                .hasMessageContaining("4711");
    }

    @Test
    void thePlaceIsToldAndTheKindOfErrorStays() {
        assertThat(UnknownFormat.at("file m", new UnknownFormat("it has format 2", "format 1")))
                .isInstanceOf(UnknownFormat.class)
                .hasMessageStartingWith("file m: it has format 2; this version");
        assertThat(UnknownFormat.at("file m", new Damaged("it is short")))
                .isNotInstanceOf(UnknownFormat.class)
                .hasMessage("file m: it is short");
    }
}
