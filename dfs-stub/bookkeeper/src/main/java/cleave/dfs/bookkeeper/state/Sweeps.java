package cleave.dfs.bookkeeper.state;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * When the last sweeps began: as places in the order of all changes of ZooKeeper (zxids), oldest first. Immutable.
 *
 * <p>Whoever begins a sweep has seen the one before for {@link Retention#sweepNanos}, by its own monotonic clock. So the sweeps behind a
 * deletion tell how old the deletion is at least, and neither a wall clock nor a restart makes it older.
 */
public record Sweeps(List<Long> zxids) {
    public static final Sweeps NONE = new Sweeps(List.of());

    /** Earlier ones are forgotten. */
    static final int COUNT_MAX = 200;

    private static final int HEXADECIMAL = 16;

    public Sweeps {
        zxids = List.copyOf(zxids.subList(Math.max(0, zxids.size() - COUNT_MAX), zxids.size()));
    }

    public Sweeps with(long zxid) {
        List<Long> more = new ArrayList<>(zxids);
        more.add(zxid);
        return new Sweeps(more);
    }

    /** How many intervals between sweeps have passed since a change, at least. */
    public long intervalsSince(long zxid) {
        return Math.max(0, zxids.stream().filter(sweep -> sweep > zxid).count() - 1);
    }

    /** The bytes of the node of the sweep. */
    public byte[] data() {
        return zxids.stream()
                .map(Long::toHexString)
                .collect(Collectors.joining(" "))
                .getBytes(StandardCharsets.US_ASCII);
    }

    /** @throws IllegalArgumentException if no version of Cleave has written this */
    public static Sweeps parse(byte[] data) {
        String text = new String(data, StandardCharsets.US_ASCII);
        return text.isEmpty()
                ? NONE
                : new Sweeps(Arrays.stream(text.split(" ", -1))
                        .map(zxid -> Long.parseLong(zxid, HEXADECIMAL))
                        .toList());
    }
}
