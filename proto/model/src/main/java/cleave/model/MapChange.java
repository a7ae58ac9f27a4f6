package cleave.model;

import cleave.wire.MapUpdate;
import cleave.wire.ServerInfo;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The difference between a map and a newer one, cut into messages for one watcher, each of which is made when the
 * watcher is ready for it. Confined to one thread. It holds iterators over immutable maps and no copy of their rows,
 * however slow the watcher is.
 */
public final class MapChange implements Iterator<MapUpdate> {
    /** Size at which a piece ends; it may exceed this by one row, and the last piece by the servers. */
    public static final int PIECE_BYTES = 256 << 10;

    /** Tag and length of a row. */
    private static final int ROW_OVERHEAD_BYTES = 6;

    private static final int ID_BYTES = 10;

    private final Header header;
    private final Iterator<Row> rows;
    private final Function<Row, Iterator<Long>> goneUnder;
    private Iterator<Long> gone = Collections.emptyIterator();
    private boolean ended;

    /**
     * The data of the whole change. Immutable.
     *
     * @param version of the newer map
     * @param whole the change is a whole map, so the receiver needs no earlier one
     * @param servers the live ones; null: they are those of the last change that the receiver got from here
     * @param level the cluster's feature level; 0: the sender does not say
     * @param cluster whose map it is; empty: the sender does not say
     */
    public record Header(
            long version,
            boolean whole,
            @Nullable List<ServerInfo> servers,
            KnownMasters masters,
            int level,
            String cluster) {}

    /**
     * @param rows those that the receiver lacks
     * @param goneUnder the ids of the ranges that are gone and that began where a row lies now
     */
    public MapChange(Header header, Iterator<Row> rows, Function<Row, Iterator<Long>> goneUnder) {
        this.header = header;
        this.rows = rows;
        this.goneUnder = goneUnder;
    }

    /** A whole map. */
    public static MapChange whole(Header header, Iterator<Row> rows) {
        return new MapChange(header, rows, row -> Collections.emptyIterator());
    }

    /** True until the last piece was taken; a change without rows has one piece, too. */
    @Override
    public boolean hasNext() {
        return !ended;
    }

    /** The next piece. */
    @Override
    public MapUpdate next() {
        return next(PIECE_BYTES);
    }

    /** The next piece, which ends at another size: where more is to be said about each row. */
    public MapUpdate next(int bytesMax) {
        if (ended) {
            throw new NoSuchElementException("the change to version " + header.version() + " has ended");
        }
        MapUpdate.Builder piece = header.masters()
                .into(MapUpdate.newBuilder()
                        .setVersion(header.version())
                        .setWhole(header.whole())
                        .setLevel(header.level())
                        .setCluster(header.cluster()));
        int bytes = 0;
        while (bytes < bytesMax && hasElement()) {
            bytes += addElement(piece);
        }
        if (hasElement()) {
            return piece.setMore(true).build();
        }
        ended = true;
        List<ServerInfo> servers = header.servers();
        return servers == null
                ? piece.setSameServers(true).build()
                : piece.addAllServers(servers).build();
    }

    private boolean hasElement() {
        return gone.hasNext() || rows.hasNext();
    }

    private int addElement(MapUpdate.Builder piece) {
        if (gone.hasNext()) {
            piece.addRemoved(gone.next());
            return ID_BYTES;
        }
        Row row = rows.next();
        gone = goneUnder.apply(row);
        cleave.wire.RangeRow wire = row.toWire();
        piece.addRows(wire);
        return wire.getSerializedSize() + ROW_OVERHEAD_BYTES;
    }

    Header header() {
        return header;
    }

    /** Takes the remaining rows without making messages of them. */
    void forEachRow(Consumer<Row> come, LongConsumer left) {
        ended = true;
        while (hasElement()) {
            while (gone.hasNext()) {
                left.accept(gone.next());
            }
            if (rows.hasNext()) {
                Row row = rows.next();
                gone = goneUnder.apply(row);
                come.accept(row);
            }
        }
    }

    /** The remaining rows as one message, however large. */
    public MapUpdate joined() {
        MapUpdate.Builder all = MapUpdate.newBuilder();
        while (hasNext()) {
            all.mergeFrom(next());
        }
        return all.setMore(false).build();
    }
}
