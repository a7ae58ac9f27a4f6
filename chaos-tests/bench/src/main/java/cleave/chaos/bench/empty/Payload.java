package cleave.chaos.bench.empty;

import cleave.chaos.load.workload.Entities;
import cleave.chaos.load.workload.EntityKey;
import cleave.model.Key;
import cleave.model.entity.EdmType;
import cleave.model.entity.Entity;
import cleave.model.entity.EntityCodec;
import cleave.model.entity.Property;
import com.google.protobuf.ByteString;
import java.util.List;

/**
 * The payload of the empty chain: the same bytes for each request, as many as those of the compared workloads have in a cluster. Stateless.
 */
final class Payload {
    /** The size of an entity as JSON, in the compared workloads. */
    static final int ENTITY_BYTES = 500;

    static final EntityKey SAMPLE = new EntityKey("p000042", "r000042");
    /** A key of a table whose id has as many bytes as any. */
    static final ByteString KEY = Key.of(1, SAMPLE.partition(), SAMPLE.row()).toWire();

    static final ByteString ENTITY = ByteString.copyFrom(entity());
    /** The changes that a merge sends to its server. */
    static final ByteString CHANGES = ByteString.copyFrom(changes());
    /** A record of a commit log. */
    static final ByteString INSERTED = record(entity());
    /** A merge logs the whole entity. */
    static final ByteString MERGED = record(EntityCodec.merge(entity(), changes()));

    /** Length, checksum, sequence, timestamp, kind, and two lengths. */
    private static final int FRAME_BYTES = 28;

    private Payload() {}

    private static byte[] entity() {
        String json = Entities.whole(SAMPLE, 42, ENTITY_BYTES);
        String text = Entities.text(json);
        return EntityCodec.encode(new Entity(
                0,
                List.of(
                        new Property("Write", EdmType.INT64, 42L),
                        new Property("Count", EdmType.INT32, 42),
                        new Property("Share", EdmType.DOUBLE, 0.25),
                        new Property("Active", EdmType.BOOLEAN, true),
                        new Property("Day", EdmType.DATETIME, 0L),
                        new Property("Text", EdmType.STRING, text))));
    }

    private static byte[] changes() {
        return EntityCodec.encode(new Entity(0, List.of(new Property("Merged", EdmType.INT64, 42L))));
    }

    private static ByteString record(byte[] entity) {
        return ByteString.copyFrom(new byte[FRAME_BYTES]).concat(KEY).concat(ByteString.copyFrom(entity));
    }
}
