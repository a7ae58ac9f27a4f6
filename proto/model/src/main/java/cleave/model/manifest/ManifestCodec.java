package cleave.model.manifest;

import cleave.model.Damaged;
import cleave.model.KeyRange;
import cleave.model.KnownFields;
import cleave.model.UnknownFormat;
import cleave.wire.CheckpointEntry;
import cleave.wire.CheckpointFile;
import cleave.wire.InlineFile;
import cleave.wire.LogEntry;
import cleave.wire.ManifestFile;
import cleave.wire.TableInterval;
import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Encodes and decodes the file of a manifest: 8 bytes of magic, 4 of length and 4 of CRC32C of the body, big-endian, then the body, a
 * {@link ManifestFile}. The format is the lowest whose readers know all that the manifest has: 3 if a file has a checksum, 2 if one is
 * inline, and 1 otherwise. Throws {@link UnknownFormat} for bytes that a newer version may have written, and {@link Damaged} for all
 * others.
 */
public final class ManifestCodec {
    /** "CleaveM" and a byte for the format's number. */
    private static final long MAGIC = 0x436c656176654d00L;

    private static final int FORMAT_MASK = 0xff;
    private static final int FIRST_FORMAT = 1;
    private static final int INLINE_FORMAT = 2;
    private static final int CHECKSUM_FORMAT = 3;

    private static final int HEADER_BYTES = Long.BYTES + 2 * Integer.BYTES;

    private ManifestCodec() {}

    public static byte[] encode(Manifest manifest) {
        byte[] body = toWire(manifest).toByteArray();
        return ByteBuffer.allocate(HEADER_BYTES + body.length)
                .putLong(MAGIC | formatOf(manifest))
                .putInt(body.length)
                .putInt(checksum(body, 0, body.length))
                .put(body)
                .array();
    }

    private static int formatOf(Manifest manifest) {
        int format = FIRST_FORMAT;
        for (Manifest.Checkpoint each : manifest.checkpoints()) {
            if (each.files().stored().stream().anyMatch(file -> file.checksum() != null)) {
                return CHECKSUM_FORMAT;
            }
            if (!each.files().inline().isEmpty()) {
                format = INLINE_FORMAT;
            }
        }
        return format;
    }

    /** True if these bytes, from the beginning of a file on, are as many as they say. */
    public static boolean isWhole(ByteString bytes) {
        return bytes.size() >= HEADER_BYTES
                && bytes.asReadOnlyByteBuffer().getInt(Long.BYTES) == bytes.size() - HEADER_BYTES;
    }

    public static Manifest decode(byte[] bytes) {
        if (bytes.length < HEADER_BYTES) {
            throw new Damaged("manifest has only " + bytes.length + " bytes");
        }
        ByteBuffer header = ByteBuffer.wrap(bytes);
        long magic = header.getLong();
        int format = (int) magic & FORMAT_MASK;
        if ((magic & ~FORMAT_MASK) != MAGIC || format == 0) {
            throw new Damaged("this is no manifest");
        }
        if (format > CHECKSUM_FORMAT) {
            throw new UnknownFormat("the manifest has format " + format, "formats 1 to " + CHECKSUM_FORMAT);
        }
        int length = header.getInt();
        if (length != bytes.length - HEADER_BYTES) {
            throw new Damaged("manifest says " + length + " bytes but has " + (bytes.length - HEADER_BYTES));
        }
        if (header.getInt() != checksum(bytes, HEADER_BYTES, length)) {
            throw new Damaged("manifest has a wrong checksum");
        }
        ManifestFile wire = parse(bytes, length);
        KnownFields.check("the manifest", wire);
        Manifest manifest = fromWire(wire);
        if (format != formatOf(manifest)) {
            throw new Damaged("manifest says format " + format + " but is of format " + formatOf(manifest));
        }
        return manifest;
    }

    private static ManifestFile parse(byte[] bytes, int length) {
        try {
            return ManifestFile.parseFrom(CodedInputStream.newInstance(bytes, HEADER_BYTES, length));
        } catch (InvalidProtocolBufferException notOne) {
            throw new Damaged("manifest does not parse: " + notOne.getMessage(), notOne);
        } catch (IOException impossible) {
            throw new AssertionError("reading from memory", impossible);
        }
    }

    private static int checksum(byte[] bytes, int from, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, from, length);
        return (int) crc.getValue();
    }

    private static ManifestFile toWire(Manifest manifest) {
        ManifestFile.Builder wire = ManifestFile.newBuilder()
                .setRange(manifest.range())
                .setEpoch(manifest.epoch())
                .setHighestTimestamp(manifest.highestTimestamp());
        for (Manifest.Checkpoint checkpoint : manifest.checkpoints()) {
            CheckpointEntry.Builder entry = CheckpointEntry.newBuilder()
                    .setStart(checkpoint.interval().startToWire())
                    .setEnd(checkpoint.interval().endToWire());
            for (Manifest.File file : checkpoint.files().stored()) {
                CheckpointFile.Builder stored = CheckpointFile.newBuilder()
                        .setLocalName(file.localName())
                        .setPath(file.path())
                        .setLength(file.length());
                Integer checksum = file.checksum();
                if (checksum != null) {
                    stored.setChecksum(checksum);
                }
                entry.addFiles(stored);
            }
            for (Manifest.InlineFile file : checkpoint.files().inline()) {
                entry.addInlineFiles(
                        InlineFile.newBuilder().setLocalName(file.localName()).setContent(file.content()));
            }
            wire.addCheckpoints(entry);
        }
        for (Manifest.Log log : manifest.logs()) {
            wire.addLogs(LogEntry.newBuilder()
                    .setPath(log.path())
                    .setStart(log.interval().startToWire())
                    .setEnd(log.interval().endToWire())
                    .setOffset(log.offset())
                    .setSequence(log.sequence()));
        }
        for (DroppedTables.Interval interval : manifest.dropped().intervals()) {
            wire.addDropped(
                    TableInterval.newBuilder().setFirst(interval.first()).setLast(interval.last()));
        }
        return wire.build();
    }

    private static Manifest fromWire(ManifestFile wire) {
        List<Manifest.Checkpoint> checkpoints = new ArrayList<>();
        for (CheckpointEntry entry : wire.getCheckpointsList()) {
            List<Manifest.File> files = new ArrayList<>();
            for (CheckpointFile file : entry.getFilesList()) {
                files.add(new Manifest.File(
                        file.getLocalName(),
                        file.getPath(),
                        file.getLength(),
                        file.hasChecksum() ? file.getChecksum() : null));
            }
            List<Manifest.InlineFile> inline = new ArrayList<>();
            for (InlineFile file : entry.getInlineFilesList()) {
                inline.add(new Manifest.InlineFile(file.getLocalName(), file.getContent()));
            }
            checkpoints.add(new Manifest.Checkpoint(
                    interval(entry.getStart(), entry.getEnd()), new Manifest.FileSet(files, inline)));
        }
        List<Manifest.Log> logs = new ArrayList<>();
        for (LogEntry log : wire.getLogsList()) {
            logs.add(new Manifest.Log(
                    log.getPath(), interval(log.getStart(), log.getEnd()), log.getOffset(), log.getSequence()));
        }
        List<DroppedTables.Interval> dropped = new ArrayList<>();
        for (TableInterval interval : wire.getDroppedList()) {
            dropped.add(new DroppedTables.Interval(interval.getFirst(), interval.getLast()));
        }
        refuse(Manifest.problem(checkpoints, logs));
        refuse(DroppedTables.problem(dropped));
        return new Manifest(
                wire.getRange(),
                wire.getEpoch(),
                checkpoints,
                logs,
                wire.getHighestTimestamp(),
                new DroppedTables(dropped));
    }

    private static KeyRange interval(ByteString start, ByteString end) {
        KeyRange interval = KeyRange.fromWire(start, end);
        if (interval == null) {
            throw new Damaged("manifest has an interval that ends before it begins");
        }
        return interval;
    }

    private static void refuse(@Nullable String problem) {
        if (problem != null) {
            throw new Damaged("manifest: " + problem);
        }
    }
}
