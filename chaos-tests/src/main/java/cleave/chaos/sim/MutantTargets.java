package cleave.chaos.sim;

import cleave.model.Manifest;
import cleave.model.ManifestCodec;
import cleave.model.Row;
import cleave.server.loop.Masters;
import cleave.server.loop.Targets;
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
import java.util.concurrent.CompletableFuture;

/** A server's way to the owners of targets with a bug planted on it. Confined to the simulation. */
final class MutantTargets implements Targets {
    private static final long GOES_ON_NANOS = 500_000_000;

    private final SimProcess process;
    private final SimMedium medium;
    private final Targets targets;
    private final Masters masters;
    private final Bug bug;
    private final Set<String> believed;

    /** @param believed logs of which a word says that they are sealed, in the whole simulation */
    MutantTargets(
            SimProcess process, SimMedium medium, Targets targets, Masters masters, Bug bug, Set<String> believed) {
        this.process = process;
        this.medium = medium;
        this.targets = targets;
        this.masters = masters;
        this.bug = bug;
        this.believed = believed;
    }

    @Override
    public CompletableFuture<PrepareReply> prepare(String address, PrepareRequest request, long timeoutNanos) {
        CompletableFuture<PrepareReply> prepared = targets.prepare(address, request, timeoutNanos);
        boolean whole = request.getSourcesCount() == 1
                && request.getSources(0).getStart().equals(request.getStart())
                && request.getSources(0).getEnd().equals(request.getEnd());
        return bug == Bug.COMMITTED_WITHOUT_WORD && whole
                ? prepared.thenCompose(reply -> commit(address, request, reply, timeoutNanos))
                : prepared;
    }

    /** Commits at once, as if the source had stopped. It goes on serving for a while. */
    private CompletableFuture<PrepareReply> commit(
            String address, PrepareRequest request, PrepareReply reply, long timeoutNanos) {
        Row source = Row.fromWire(request.getSources(0));
        ByteString manifest = medium.isVisible() ? medium.peek(String.valueOf(source.manifest())) : null;
        if (reply.getStatus().getCode() != ErrorCode.OK || manifest == null) {
            return CompletableFuture.completedFuture(reply);
        }
        List<Manifest.Log> logs = ManifestCodec.decode(manifest.toByteArray()).logs();
        believed.add(logs.get(logs.size() - 1).path());
        HandoffRequest command = HandoffRequest.newBuilder()
                .setBy(request.getFrom())
                .addSources(HandoffSource.newBuilder()
                        .setRange(source.id())
                        .setVersion(source.version())
                        .setWord(true))
                .addTargets(HandoffTarget.newBuilder()
                        .setStart(request.getStart())
                        .setEnd(request.getEnd())
                        .setOwner(request.getTo())
                        .setManifest(reply.getManifest()))
                .build();
        masters.commitHandoff(command)
                .thenAccept(committed -> committed.getRowsList().stream()
                        .filter(row -> row.getManifest().equals(reply.getManifest()))
                        .forEach(row -> targets.finish(
                                address,
                                FinishRequest.newBuilder()
                                        .setHandoff(request.getHandoff())
                                        .setTo(request.getTo())
                                        .setRow(row)
                                        .build(),
                                timeoutNanos)));
        CompletableFuture<PrepareReply> later = new CompletableFuture<>();
        process.deliver(GOES_ON_NANOS, () -> later.complete(reply));
        return later;
    }

    @Override
    public CompletableFuture<FinishReply> finish(String address, FinishRequest request, long timeoutNanos) {
        return targets.finish(address, request, timeoutNanos);
    }
}
