package cleave.deploy.backup;

import cleave.model.Damaged;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.KnownFields;
import cleave.model.UnknownFormat;
import cleave.model.manifest.ManifestCodec;
import cleave.wire.BackupIndexFile;
import cleave.wire.BackupRange;
import cleave.wire.LogEnd;
import cleave.wire.PendingDrop;
import cleave.wire.StoredPiece;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The contents of a backup. Immutable. Its bytes are 8 bytes of magic, the CRC32C of the body (4 bytes, big-endian) and the body, a
 * {@link BackupIndexFile}. Other bytes are {@link Damaged}, or an {@link UnknownFormat} if a newer version may have written them.
 *
 * <p>Invariant: the parts tile the key space, and every piece of every part has a checksum.
 *
 * @param cluster that owned the ranges
 * @param number of the backup in its folder
 * @param parts in key order
 * @param checksums CRC32C of every piece
 */
record BackupIndex(
        String cluster,
        long number,
        long beganMillis,
        long endedMillis,
        long nextTable,
        List<PendingDrop> drops,
        List<Part> parts,
        SortedMap<Piece, Integer> checksums) {
    /** "CleaveB" and a byte for the format's number. */
    private static final long MAGIC = 0x436c656176654200L;

    private static final int FORMAT_MASK = 0xff;
    private static final int FORMAT = 1;
    private static final int HEADER_BYTES = Long.BYTES + Integer.BYTES;

    BackupIndex {
        drops = List.copyOf(drops);
        parts = List.copyOf(parts);
        checksums = Collections.unmodifiableSortedMap(new TreeMap<>(checksums));
        String problem = problem(parts, checksums);
        if (problem != null) {
            throw new Damaged(problem);
        }
    }

    private static @Nullable String problem(List<Part> parts, SortedMap<Piece, Integer> checksums) {
        @Nullable Key next = Key.MIN;
        for (Part part : parts) {
            if (!Objects.equals(part.interval().start(), next)) {
                return "the ranges do not tile the key space: " + part.interval() + " does not begin at " + next;
            }
            next = part.interval().end();
            for (Piece piece : part.pieces()) {
                if (!checksums.containsKey(piece)) {
                    return "there is no checksum of " + piece.name();
                }
            }
        }
        return next == null && !parts.isEmpty() ? null : "the ranges do not tile the key space, and end at " + next;
    }

    long bytes() {
        return checksums.keySet().stream().mapToLong(Piece::length).sum();
    }

    byte[] encode() {
        BackupIndexFile.Builder wire = BackupIndexFile.newBuilder()
                .setCluster(cluster)
                .setNumber(number)
                .setBeganMillis(beganMillis)
                .setEndedMillis(endedMillis)
                .setNextTable(nextTable)
                .addAllDrops(drops);
        for (Part part : parts) {
            BackupRange.Builder range = BackupRange.newBuilder()
                    .setRange(part.range())
                    .setEpoch(part.epoch())
                    .setStart(part.interval().startToWire())
                    .setEnd(part.interval().endToWire())
                    .setManifest(ByteString.copyFrom(ManifestCodec.encode(part.manifest())));
            part.ends()
                    .forEach((path, length) ->
                            range.addEnds(LogEnd.newBuilder().setPath(path).setLength(length)));
            wire.addRanges(range);
        }
        checksums.forEach((piece, checksum) -> wire.addPieces(StoredPiece.newBuilder()
                .setPath(piece.path())
                .setFrom(piece.from())
                .setLength(piece.length())
                .setCrc32C(checksum)));
        byte[] body = wire.build().toByteArray();
        return ByteBuffer.allocate(HEADER_BYTES + body.length)
                .putLong(MAGIC | FORMAT)
                .putInt(checksum(body, 0, body.length))
                .put(body)
                .array();
    }

    static BackupIndex decode(byte[] bytes) {
        if (bytes.length < HEADER_BYTES) {
            throw new Damaged("the index of a backup has only " + bytes.length + " bytes");
        }
        ByteBuffer header = ByteBuffer.wrap(bytes);
        long magic = header.getLong();
        int format = (int) magic & FORMAT_MASK;
        if ((magic & ~FORMAT_MASK) != MAGIC || format == 0) {
            throw new Damaged("this is no index of a backup");
        }
        if (format != FORMAT) {
            throw new UnknownFormat("the index of the backup has format " + format, "format " + FORMAT);
        }
        if (header.getInt() != checksum(bytes, HEADER_BYTES, bytes.length - HEADER_BYTES)) {
            throw new Damaged("the index of the backup has a wrong checksum");
        }
        BackupIndexFile wire;
        try {
            wire = BackupIndexFile.parseFrom(header);
        } catch (InvalidProtocolBufferException notOne) {
            throw new Damaged("the index of the backup does not parse: " + notOne.getMessage(), notOne);
        }
        KnownFields.check("the index of the backup", wire);
        return fromWire(wire);
    }

    private static BackupIndex fromWire(BackupIndexFile wire) {
        List<Part> parts = new ArrayList<>();
        for (BackupRange each : wire.getRangesList()) {
            KeyRange interval = KeyRange.fromWire(each.getStart(), each.getEnd());
            if (interval == null) {
                throw new Damaged("the index of the backup has a range that ends before it begins");
            }
            TreeMap<String, Long> ends = new TreeMap<>();
            each.getEndsList().forEach(end -> ends.put(end.getPath(), end.getLength()));
            parts.add(new Part(
                    each.getRange(),
                    each.getEpoch(),
                    interval,
                    ManifestCodec.decode(each.getManifest().toByteArray()),
                    ends));
        }
        TreeMap<Piece, Integer> checksums = new TreeMap<>();
        for (StoredPiece each : wire.getPiecesList()) {
            checksums.put(new Piece(each.getPath(), each.getFrom(), each.getLength()), each.getCrc32C());
        }
        return new BackupIndex(
                wire.getCluster(),
                wire.getNumber(),
                wire.getBeganMillis(),
                wire.getEndedMillis(),
                wire.getNextTable(),
                wire.getDropsList(),
                parts,
                checksums);
    }

    private static int checksum(byte[] bytes, int from, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, from, length);
        return (int) crc.getValue();
    }
}
