package cleave.model;

import org.jspecify.annotations.Nullable;

/**
 * The row of one range in the partition map. Immutable.
 *
 * @param id never reused; see {@link #id(long, int)}
 * @param range its bounds lie between partitions (invariant I5)
 * @param owner null if the range has had no owner yet
 * @param manifest DFS path of the file that names everything needed to serve it; null if the range is new and opens
 *     empty
 * @param version Raft index of the command that last changed the row
 * @param epoch the version at which owner or bounds last changed; requests and files carry it
 */
public record Row(
        long id,
        KeyRange range,
        @Nullable Incarnation owner,
        @Nullable String manifest,
        long version,
        long epoch) {
    private static final int ORDINAL_BITS = 12;
    /** Maximum number of ranges that one command may create. */
    public static final int ORDINALS = 1 << ORDINAL_BITS;

    private static final long INDEX_MAX = Long.MAX_VALUE >> ORDINAL_BITS;

    public Row {
        Invariant.check(range.isOfWholePartitions(), "range %s divides a partition: %s", id, range);
        Invariant.check(epoch <= version, "range %s has epoch %s after version %s", id, epoch, version);
    }

    /** The id of the {@code ordinal}-th range that the command at a Raft index made. */
    public static long id(long index, int ordinal) {
        Invariant.check(ordinal >= 0 && ordinal < ORDINALS, "ordinal %s is not within 0..%s", ordinal, ORDINALS - 1);
        return index << ORDINAL_BITS | ordinal;
    }

    /** The Raft index of the command that made a range. */
    public static long index(long id) {
        return id >>> ORDINAL_BITS;
    }

    /** A range's id for people and file names: {@code 17.0} is the first range that the command at index 17 made. */
    public static String idText(long id) {
        return (id >>> ORDINAL_BITS) + "." + (id & (ORDINALS - 1));
    }

    /** IllegalArgumentException if the text is no {@link #idText}. */
    public static long parseId(String text) {
        int dot = text.indexOf('.');
        try {
            long index = Long.parseLong(text.substring(0, Math.max(dot, 0)));
            int ordinal = Integer.parseInt(text.substring(dot + 1));
            if (index >= 0 && index <= INDEX_MAX && ordinal >= 0 && ordinal < ORDINALS) {
                return id(index, ordinal);
            }
        } catch (NumberFormatException noNumber) {
            // Answered below, together with one out of bounds.
        }
        throw new IllegalArgumentException("'" + text + "' is not a range id such as 17.0");
    }

    /** IllegalArgumentException if the message is no row. */
    public static Row fromWire(cleave.wire.RangeRow wire) {
        KeyRange range = KeyRange.fromWire(wire.getStart(), wire.getEnd());
        if (range == null || !range.isOfWholePartitions() || wire.getEpoch() > wire.getVersion()) {
            throw new IllegalArgumentException(
                    "range " + idText(wire.getId()) + " has no interval, or an epoch above its version");
        }
        return new Row(
                wire.getId(),
                range,
                wire.hasOwner() ? Incarnation.fromWire(wire.getOwner()) : null,
                wire.getManifest().isEmpty() ? null : wire.getManifest(),
                wire.getVersion(),
                wire.getEpoch());
    }

    public cleave.wire.RangeRow toWire() {
        cleave.wire.RangeRow.Builder wire = cleave.wire.RangeRow.newBuilder()
                .setId(id)
                .setStart(range.startToWire())
                .setEnd(range.endToWire())
                .setVersion(version)
                .setEpoch(epoch);
        if (owner != null) {
            wire.setOwner(owner.toWire());
        }
        if (manifest != null) {
            wire.setManifest(manifest);
        }
        return wire.build();
    }

    @Override
    public String toString() {
        return idText(id) + range + " owner " + owner + " version " + version + " epoch " + epoch;
    }
}
