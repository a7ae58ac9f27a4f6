package cleave.dfs.node;

import cleave.dfs.link.NamesCodec;
import cleave.dfs.state.IdIntervals;
import cleave.dfs.state.NamesState;
import cleave.wire.ExtentRecord;
import cleave.wire.NamesSnapshot;
import cleave.wire.NodeCheckpoint;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The state of a node at a position of its journal. Immutable.
 *
 * @param node its id
 * @param segment the first one that a recovery replays
 * @param sequence of the last group before that segment
 */
public record Checkpoint(
        String node, long segment, long sequence, List<ExtentRecord> extents, IdIntervals dropped, NamesState names) {
    private static final int PART_BYTES = 64 << 10;

    public Checkpoint {
        extents = List.copyOf(extents);
    }

    /** Encodes it in parts of about 64 KiB, one at a time; {@link NodeImage#restore} assembles them. */
    public Iterator<NodeCheckpoint> parts() {
        Iterator<NodeCheckpoint> pieces = pieces().iterator();
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                return pieces.hasNext();
            }

            @Override
            public NodeCheckpoint next() {
                NodeCheckpoint.Builder part = NodeCheckpoint.newBuilder();
                int bytes = 0;
                do {
                    NodeCheckpoint piece = pieces.next();
                    part.mergeFrom(piece);
                    bytes += piece.getSerializedSize();
                } while (bytes < PART_BYTES && pieces.hasNext());
                return part.build();
            }
        };
    }

    private Stream<NodeCheckpoint> pieces() {
        NodeCheckpoint.Builder head =
                NodeCheckpoint.newBuilder().setSegment(segment).setSequence(sequence);
        head.getNamesBuilder().setNextExtent(names.nextExtent());
        return Stream.of(
                        Stream.of(head.build()),
                        extents.stream()
                                .map(extent -> NodeCheckpoint.newBuilder()
                                        .addExtents(extent)
                                        .build()),
                        dropped.lastByFirst().entrySet().stream()
                                .map(bounds -> NodeCheckpoint.newBuilder()
                                        .addDropped(NamesCodec.wire(bounds))
                                        .build()),
                        names.files().values().stream()
                                .map(file -> names(part -> part.addFiles(NamesCodec.wire(file, node)))),
                        names.deleting().values().stream()
                                .map(file -> names(part -> part.addDeleting(NamesCodec.wire(file, node)))),
                        names.deleted().servers().entrySet().stream()
                                .map(server -> names(
                                        part -> part.addEnded(NamesCodec.wire(server.getKey(), server.getValue())))),
                        names.deleted().others().stream().map(path -> names(part -> part.addDeleted(path))))
                .flatMap(each -> each);
    }

    private static NodeCheckpoint names(Consumer<NamesSnapshot.Builder> filled) {
        NodeCheckpoint.Builder piece = NodeCheckpoint.newBuilder();
        filled.accept(piece.getNamesBuilder());
        return piece.build();
    }
}
