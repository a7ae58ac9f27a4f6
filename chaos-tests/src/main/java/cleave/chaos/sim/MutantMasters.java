package cleave.chaos.sim;

import cleave.server.loop.Masters;
import cleave.wire.CommandReply;
import cleave.wire.ErrorCode;
import cleave.wire.HandoffRequest;
import cleave.wire.PublishRequest;
import cleave.wire.RegisterReply;
import cleave.wire.RegisterRequest;
import cleave.wire.Status;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** A server's way to the masters with a bug planted on it. Confined to the simulation. */
final class MutantMasters implements Masters {
    private final Masters masters;
    private final Bug bug;
    private final Map<String, RegisterReply> remembered;
    private boolean registered;

    /** @param remembered how servers were registered last, by id, which outlives their processes */
    MutantMasters(Masters masters, Bug bug, Map<String, RegisterReply> remembered) {
        this.masters = masters;
        this.bug = bug;
        this.remembered = remembered;
    }

    @Override
    public CompletableFuture<RegisterReply> register(RegisterRequest request) {
        RegisterReply before = remembered.get(request.getServer());
        boolean goesOn = bug == Bug.RANGES_KEPT_BY_A_RESTARTED_PROCESS && before != null && !registered;
        registered = true;
        return goesOn
                ? CompletableFuture.completedFuture(before)
                : masters.register(request).thenApply(reply -> {
                    if (reply.getStatus().getCode() == ErrorCode.OK) {
                        remembered.put(request.getServer(), reply);
                    }
                    return reply;
                });
    }

    @Override
    public CompletableFuture<CommandReply> publish(PublishRequest request) {
        return masters.publish(request);
    }

    @Override
    public CompletableFuture<CommandReply> commitHandoff(HandoffRequest request) {
        CompletableFuture<CommandReply> reply = masters.commitHandoff(request);
        return bug == Bug.UNKNOWN_COMMIT_TAKEN_FOR_REFUSED
                ? reply.handle((answer, failure) -> answer == null || isUnknown(answer) ? refused() : answer)
                : reply;
    }

    private static boolean isUnknown(CommandReply reply) {
        return reply.getStatus().getCode() == ErrorCode.UNKNOWN_OUTCOME;
    }

    private static CommandReply refused() {
        return CommandReply.newBuilder()
                .setStatus(Status.newBuilder().setCode(ErrorCode.INVALID).setMessage("no answer"))
                .build();
    }

    @Override
    public HeartbeatStream heartbeats(HeartbeatListener listener) {
        return masters.heartbeats(listener);
    }
}
