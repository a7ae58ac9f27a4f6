package cleave.chaos.sim.bugs;

import static cleave.chaos.sim.world.Intercepted.changed;
import static java.util.concurrent.CompletableFuture.completedFuture;

import cleave.chaos.sim.world.Intercepted;
import cleave.chaos.sim.world.SimMedium;
import cleave.chaos.sim.world.SimProcess;
import cleave.model.Row;
import cleave.model.manifest.Manifest;
import cleave.model.manifest.ManifestCodec;
import cleave.server.outside.Masters;
import cleave.server.outside.TargetServers;
import cleave.wire.ErrorCode;
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
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The planted bugs by which the source of a move commits it when it must not.
 *
 * @param real the access to the owners of targets without a bug
 * @param newest the newest row of a range, whatever the source knows
 */
record MoveMutants(TargetServers real, Masters masters, LongFunction<@Nullable Row> newest) {
    private static final long GOES_ON_NANOS = 500_000_000;
    private static final long FINISH_NANOS_MAX = 2_000_000_000;

    /** A move of a whole range to another server, and its target's manifest. */
    private record Move(String address, PrepareRequest request, String manifest) {
        /** Null if less than a range is moved, or it was not prepared. */
        static @Nullable Move prepared(Intercepted call, PrepareReply reply) {
            PrepareRequest request = call.argument(1);
            boolean isWhole = request.getSourcesCount() == 1
                    && request.getSources(0).getStart().equals(request.getStart())
                    && request.getSources(0).getEnd().equals(request.getEnd());
            return isWhole && reply.getStatus().getCode() == ErrorCode.OK
                    ? new Move(call.argument(0), request, reply.getManifest())
                    : null;
        }

        Row source() {
            return Row.fromWire(request.getSources(0));
        }
    }

    /**
     * Commits and finishes as soon as the target is prepared, as if the source had stopped; the source serves for a while longer.
     *
     * @param believed gets the log that is wrongly believed to be sealed
     */
    TargetServers committingUnasked(SimProcess process, SimMedium medium, Set<String> believed) {
        return changed(
                real,
                "prepare",
                call -> call.<CompletableFuture<PrepareReply>>go().thenCompose(reply -> {
                    Move move = Move.prepared(call, reply);
                    ByteString manifest = move == null || !medium.isVisible()
                            ? null
                            : medium.peek(String.valueOf(move.source().manifest()));
                    if (move == null || manifest == null) {
                        return completedFuture(reply);
                    }
                    List<Manifest.Log> logs =
                            ManifestCodec.decode(manifest.toByteArray()).logs();
                    believed.add(logs.get(logs.size() - 1).path());
                    commit(move, move.source().version());
                    CompletableFuture<PrepareReply> later = new CompletableFuture<>();
                    process.deliver(GOES_ON_NANOS, () -> later.complete(reply));
                    return later;
                }));
    }

    /** Commits a move that was given up, once the source has published after the preparation. */
    TargetServers committingOverAPublish() {
        TreeMap<Long, Move> prepared = new TreeMap<>();
        TargetServers preparing = changed(
                real,
                "prepare",
                call -> call.<PrepareReply>then(reply -> {
                    Move move = Move.prepared(call, reply);
                    if (move != null) {
                        prepared.put(move.request().getHandoff(), move);
                        commitOverAPublish(move, prepared);
                    }
                    return reply;
                }));
        return changed(preparing, "finish", call -> {
            FinishRequest request = call.argument(1);
            if (request.hasRow()) {
                return call.go();
            }
            Move givenUp = prepared.get(request.getHandoff());
            if (givenUp != null) {
                commitOverAPublish(givenUp, prepared);
            }
            return new CompletableFuture<>(); // The prepared target is kept.
        });
    }

    private void commitOverAPublish(Move move, TreeMap<Long, Move> prepared) {
        Row source = move.source();
        Row now = newest.apply(source.id());
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
        FinishRequest.Builder finish =
                FinishRequest.newBuilder().setHandoff(request.getHandoff()).setTo(request.getTo());
        masters.commitHandoff(command)
                .thenAccept(committed -> committed.getRowsList().stream()
                        .filter(row -> row.getManifest().equals(move.manifest()))
                        .forEach(row ->
                                real.finish(move.address(), finish.setRow(row).build(), FINISH_NANOS_MAX)));
    }
}
