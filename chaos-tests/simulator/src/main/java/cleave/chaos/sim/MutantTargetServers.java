package cleave.chaos.sim;

import cleave.model.Row;
import cleave.model.manifest.Manifest;
import cleave.model.manifest.ManifestCodec;
import cleave.server.outside.Masters;
import cleave.server.outside.TargetServers;
import cleave.wire.ErrorCode;
import cleave.wire.FinishReply;
import cleave.wire.FinishRequest;
import cleave.wire.HandoffRequest;
import cleave.wire.HandoffSource;
import cleave.wire.HandoffTarget;
import cleave.wire.PrepareReply;
import cleave.wire.PrepareRequest;
import com.google.protobuf.ByteString;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/** A server's access to the owners of targets, with a planted bug. Confined to the simulation. */
final class MutantTargetServers implements TargetServers {
    private static final long GOES_ON_NANOS = 500_000_000;
    private static final long FINISH_NANOS_MAX = 2_000_000_000;

    private final SimProcess process;
    private final SimMedium medium;
    private final TargetServers targets;
    private final Masters masters;
    private final SimRaft raft;
    private final Bug bug;
    private final Set<String> believed;
    /** Moves whose target is prepared, by handoff. */
    private final TreeMap<Long, Move> prepared = new TreeMap<>();

    /** A move to another server, and its target's manifest. */
    private record Move(String address, PrepareRequest request, String manifest) {
        Row source() {
            return Row.fromWire(request.getSources(0));
        }
    }

    /** @param believed logs that are wrongly believed to be sealed, in the whole simulation */
    MutantTargetServers(
            SimProcess process,
            SimMedium medium,
            TargetServers targets,
            Masters masters,
            SimRaft raft,
            Bug bug,
            Set<String> believed) {
        this.raft = raft;
        this.process = process;
        this.medium = medium;
        this.targets = targets;
        this.masters = masters;
        this.bug = bug;
        this.believed = believed;
    }

    @Override
    public CompletableFuture<PrepareReply> prepare(String address, PrepareRequest request, long timeoutNanos) {
        CompletableFuture<PrepareReply> reply = targets.prepare(address, request, timeoutNanos);
        boolean whole = request.getSourcesCount() == 1
                && request.getSources(0).getStart().equals(request.getStart())
                && request.getSources(0).getEnd().equals(request.getEnd());
        return switch (whole ? bug : Bug.NONE) {
            case COMMITTED_WITHOUT_WORD -> reply.thenCompose(told -> commitUnasked(address, request, told));
            case COMMITTED_OVER_A_PUBLISH -> reply.thenApply(told -> remembered(address, request, told));
            default -> reply;
        };
    }

    /** Commits and finishes at once, as if the source had stopped; the source serves for a while longer. */
    private CompletableFuture<PrepareReply> commitUnasked(String address, PrepareRequest request, PrepareReply reply) {
        Move move = new Move(address, request, reply.getManifest());
        ByteString manifest =
                medium.isVisible() ? medium.peek(String.valueOf(move.source().manifest())) : null;
        if (reply.getStatus().getCode() != ErrorCode.OK || manifest == null) {
            return CompletableFuture.completedFuture(reply);
        }
        List<Manifest.Log> logs = ManifestCodec.decode(manifest.toByteArray()).logs();
        believed.add(logs.get(logs.size() - 1).path());
        commit(move, move.source().version());
        CompletableFuture<PrepareReply> later = new CompletableFuture<>();
        process.deliver(GOES_ON_NANOS, () -> later.complete(reply));
        return later;
    }

    private PrepareReply remembered(String address, PrepareRequest request, PrepareReply reply) {
        if (reply.getStatus().getCode() == ErrorCode.OK) {
            Move move = new Move(address, request, reply.getManifest());
            prepared.put(request.getHandoff(), move);
            commitOverAPublish(move);
        }
        return reply;
    }

    /** Applies if the source has published since the move was prepared. */
    private void commitOverAPublish(Move move) {
        Row source = move.source();
        Row now = raft.audited().rows().row(source.id());
        if (now != null && now.epoch() == source.epoch() && now.version() > source.version()) {
            prepared.remove(move.request().getHandoff());
            commit(move, now.version());
        }
    }

    private void commit(Move move, long version) {
        PrepareRequest request = move.request();
        HandoffRequest command = HandoffRequest.newBuilder()
                .setBy(request.getFrom())
                .addSources(HandoffSource.newBuilder()
                        .setRange(move.source().id())
                        .setVersion(version)
                        .setWord(true))
                .addTargets(HandoffTarget.newBuilder()
                        .setStart(request.getStart())
                        .setEnd(request.getEnd())
                        .setOwner(request.getTo())
                        .setManifest(move.manifest()))
                .build();
        masters.commitHandoff(command)
                .thenAccept(committed -> committed.getRowsList().stream()
                        .filter(row -> row.getManifest().equals(move.manifest()))
                        .forEach(row -> targets.finish(
                                move.address(),
                                FinishRequest.newBuilder()
                                        .setHandoff(request.getHandoff())
                                        .setTo(request.getTo())
                                        .setRow(row)
                                        .build(),
                                FINISH_NANOS_MAX)));
    }

    @Override
    public CompletableFuture<FinishReply> finish(String address, FinishRequest request, long timeoutNanos) {
        if (bug == Bug.COMMITTED_OVER_A_PUBLISH && !request.hasRow()) {
            Move givenUp = prepared.get(request.getHandoff());
            if (givenUp != null) {
                commitOverAPublish(givenUp);
            }
            return new CompletableFuture<>(); // The prepared target is kept.
        }
        return targets.finish(
                address, bug == Bug.VISIBLE_END_TAKEN_FOR_SEALED_LENGTH ? asVisible(request) : request, timeoutNanos);
    }

    private FinishRequest asVisible(FinishRequest request) {
        FinishRequest.Builder told = request.toBuilder().clearSealed();
        request.getSealedList()
                .forEach(log -> told.addSealed(
                        log.toBuilder().setLength(Math.min(log.getLength(), medium.visibleLength(log.getPath())))));
        return told.build();
    }
}
