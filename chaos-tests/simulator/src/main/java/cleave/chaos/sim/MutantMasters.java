package cleave.chaos.sim;

import cleave.dfs.Dfs;
import cleave.model.Row;
import cleave.server.outside.Masters;
import cleave.wire.CommandReply;
import cleave.wire.ErrorCode;
import cleave.wire.HandoffRequest;
import cleave.wire.HandoffSource;
import cleave.wire.HandoffTarget;
import cleave.wire.HeartbeatReply;
import cleave.wire.HeartbeatRequest;
import cleave.wire.PublishRequest;
import cleave.wire.RangeTrouble;
import cleave.wire.RegisterReply;
import cleave.wire.RegisterRequest;
import cleave.wire.Status;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/** A server's access to the masters, with a planted bug. Confined to the simulation. */
final class MutantMasters implements Masters {
    private final Masters masters;
    private final Dfs dfs;
    private final Bug bug;
    private final SimRaft raft;
    private final Map<String, RegisterReply> remembered;
    private final MutantClockCorrection clockCorrection;
    private final NodeClock clock;
    /** The sources of handoffs when their commit was sent. */
    private final TreeMap<Long, Row> stopped = new TreeMap<>();

    private boolean registered;

    /** @param remembered the last registrations of servers by id, which outlive their processes */
    MutantMasters(
            Masters masters,
            Dfs dfs,
            SimRaft raft,
            Bug bug,
            Map<String, RegisterReply> remembered,
            MutantClockCorrection clockCorrection,
            NodeClock clock) {
        this.masters = masters;
        this.dfs = dfs;
        this.raft = raft;
        this.bug = bug;
        this.remembered = remembered;
        this.clockCorrection = clockCorrection;
        this.clock = clock;
    }

    @Override
    public CompletableFuture<RegisterReply> register(RegisterRequest request) {
        RegisterReply refusal = clockCorrection.refusal(request);
        if (refusal != null) {
            return CompletableFuture.completedFuture(refusal);
        }
        RegisterReply before = remembered.get(request.getServer());
        boolean goesOn = bug == Bug.RANGES_KEPT_BY_A_RESTARTED_PROCESS && before != null && !registered;
        registered = true;
        return goesOn
                ? CompletableFuture.completedFuture(before)
                : masters.register(request.toBuilder()
                                .setDfs(dfs(request.getDfs()))
                                .build())
                        .thenApply(reply -> {
                            if (reply.getStatus().getCode() == ErrorCode.OK) {
                                remembered.put(request.getServer(), reply);
                            }
                            return reply;
                        });
    }

    @Override
    public CompletableFuture<CommandReply> publish(PublishRequest request) {
        Row row = stopped.remove(request.getRange());
        return bug == Bug.RESUMED_BEFORE_PUBLISHING && row != null && row.version() == request.getVersion()
                ? CompletableFuture.completedFuture(asIfPublished(row, request))
                : outcome(masters.publish(request), List.of(request.getManifest()));
    }

    /** The id of the DFS that the masters are told. */
    private String dfs(String own) {
        String named = raft.audited().dfs();
        return bug == Bug.DFS_NOT_COMPARED && !named.isEmpty() ? named : own;
    }

    private static CommandReply asIfPublished(Row row, PublishRequest request) {
        Row next = new Row(row.id(), row.range(), row.owner(), request.getManifest(), row.version() + 1, row.epoch());
        return CommandReply.newBuilder()
                .setStatus(Status.getDefaultInstance())
                .addRows(next.toWire())
                .build();
    }

    private void remember(HandoffSource source) {
        Row row = raft.audited().rows().row(source.getRange());
        if (source.getWord() && row != null && row.version() == source.getVersion()) {
            stopped.put(row.id(), row);
        }
    }

    @Override
    public CompletableFuture<CommandReply> commitHandoff(HandoffRequest request) {
        request.getSourcesList().forEach(this::remember);
        return outcome(
                masters.commitHandoff(request),
                request.getTargetsList().stream()
                        .map(HandoffTarget::getManifest)
                        .toList());
    }

    /** Of a commit of these manifests, which are deleted unless it is answered by a row that names one. */
    private CompletableFuture<CommandReply> outcome(CompletableFuture<CommandReply> reply, List<String> manifests) {
        return bug != Bug.UNKNOWN_COMMIT_TAKEN_FOR_REFUSED
                ? reply
                : reply.handle((answer, failure) -> {
                    if (answer != null
                            && answer.getRowsList().stream().anyMatch(row -> manifests.contains(row.getManifest()))) {
                        return answer;
                    }
                    manifests.forEach(dfs::delete);
                    return CommandReply.newBuilder()
                            .setStatus(Status.newBuilder()
                                    .setCode(ErrorCode.INVALID)
                                    .setMessage("no answer, or refused"))
                            .build();
                });
    }

    @Override
    public HeartbeatStream heartbeats(HeartbeatListener listener) {
        HeartbeatStream stream = masters.heartbeats(new ClockListener(listener));
        if (bug != Bug.FULL_SERVER_GETS_RANGES && bug != Bug.DFS_NOT_COMPARED) {
            return stream;
        }
        return new HeartbeatStream() {
            @Override
            public void send(HeartbeatRequest request) {
                HeartbeatRequest.Builder told = request.toBuilder().setDfs(dfs(request.getDfs()));
                if (bug == Bug.FULL_SERVER_GETS_RANGES) {
                    told.clearSpace();
                    told.getTroublesBuilderList().forEach(RangeTrouble.Builder::clearStore);
                }
                stream.send(told.build());
            }

            @Override
            public void close() {
                stream.close();
            }
        };
    }

    private final class ClockListener implements HeartbeatListener {
        private final HeartbeatListener listener;

        ClockListener(HeartbeatListener listener) {
            this.listener = listener;
        }

        @Override
        public void onReply(HeartbeatReply reply) {
            HeartbeatReply.Builder changed = reply.toBuilder();
            if (reply.hasClock()) {
                clockCorrection.heard(reply.getClock());
            }
            if (reply.hasClock() && bug == Bug.OWN_CLOCK_TAKEN_FOR_THE_LEADERS) {
                changed.getClockBuilder().setTicks(clock.ticks());
            }
            listener.onReply(changed.build());
        }

        @Override
        public void onBroken(String why) {
            listener.onBroken(why);
        }
    }
}
