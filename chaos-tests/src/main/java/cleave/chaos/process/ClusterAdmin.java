package cleave.chaos.process;

import cleave.model.Key;
import cleave.route.rpc.StatusCall;
import cleave.runtime.rpc.Channels;
import cleave.wire.AdminGrpc;
import cleave.wire.AdminGrpc.AdminBlockingStub;
import cleave.wire.AdminMergeRequest;
import cleave.wire.AdminMoveRequest;
import cleave.wire.AdminSplitRequest;
import cleave.wire.ChangeMastersRequest;
import cleave.wire.CommandReply;
import cleave.wire.ErrorCode;
import cleave.wire.Event;
import cleave.wire.EventsReply;
import cleave.wire.EventsRequest;
import cleave.wire.FoundRequest;
import cleave.wire.GroupMember;
import cleave.wire.HandoffState;
import cleave.wire.HandoffsReply;
import cleave.wire.HandoffsRequest;
import cleave.wire.MasterGroupGrpc;
import cleave.wire.MasterPeer;
import cleave.wire.RangeRow;
import cleave.wire.RangeState;
import cleave.wire.ServerInfo;
import cleave.wire.Setting;
import cleave.wire.SettingsChange;
import cleave.wire.SettingsReply;
import cleave.wire.Status;
import cleave.wire.StatusReply;
import cleave.wire.StatusRequest;
import io.grpc.StatusRuntimeException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** What operators ask of the masters, over gRPC. Thread-safe. */
public final class ClusterAdmin implements AutoCloseable {
    private static final long CALL_SECONDS = 3;
    private static final long SPLIT_SECONDS = 90;
    private static final String SERVING = "serving";

    private final List<String> masters;
    private final Channels channels = new Channels();

    ClusterAdmin(List<String> masters) {
        this.masters = List.copyOf(masters);
    }

    /** For calls to services of any process. */
    public Channels channels() {
        return channels;
    }

    /** True when the cluster is founded; asks the first master to do so, or to go on. */
    boolean found() {
        Status status = MasterGroupGrpc.newBlockingStub(channels.to(masters.get(0)))
                .withDeadlineAfter(SPLIT_SECONDS, TimeUnit.SECONDS)
                .found(FoundRequest.getDefaultInstance())
                .getStatus();
        if (status.getCode() != ErrorCode.OK) {
            throw new IllegalStateException(status.getCode() + " " + status.getMessage());
        }
        return true;
    }

    /** What the leader knows; fails if no master leads now. */
    public StatusReply status() {
        StatusRequest request = StatusRequest.getDefaultInstance();
        return leader(
                stub -> StatusCall.ask(stub.getChannel(), request, TimeUnit.SECONDS.toNanos(CALL_SECONDS)),
                StatusReply::getStatus);
    }

    /** Index of the master that leads, from 0. */
    public int leader() {
        StatusReply status = status();
        for (int i = 0; i < status.getPeersCount(); i++) {
            MasterPeer peer = status.getPeers(i);
            if (peer.getId().equals(status.getSelf()) || peer.getAddress().equals(status.getSelf())) {
                return index(peer.getAddress());
            }
        }
        return index(status.getLeader());
    }

    /** By the port: the processes know the masters by names. */
    private int index(String address) {
        String port = address.substring(address.lastIndexOf(':') + 1);
        for (int i = 0; i < masters.size(); i++) {
            if (masters.get(i).endsWith(":" + port)) {
                return i;
            }
        }
        return -1;
    }

    /** What the masters' group calls a master; index counts from 0. */
    public String member(int index) {
        return status().getPeersList().stream()
                .filter(peer -> peer.getId().equals("master-" + (index + 1)))
                .map(MasterPeer::getMember)
                .findFirst()
                .orElseThrow();
    }

    /** Changes the members of the masters' group; false if it is to be asked again. IllegalStateException if it is refused. */
    public boolean changeMasters(String out, String in) {
        ChangeMastersRequest.Builder request = ChangeMastersRequest.newBuilder().setOut(out);
        if (!in.isEmpty()) {
            String[] parts = in.split("=", -1);
            request.setIn(
                    GroupMember.newBuilder().setId(parts[0]).setRaft(parts[1]).setRpc(parts[2]));
        }
        for (String master : masters) {
            Status status;
            try {
                status = AdminGrpc.newBlockingStub(channels.to(master))
                        .withDeadlineAfter(SPLIT_SECONDS, TimeUnit.SECONDS)
                        .changeMasters(request.build())
                        .getStatus();
            } catch (StatusRuntimeException silent) {
                continue;
            }
            switch (status.getCode()) {
                case OK -> {
                    return true;
                }
                case NOT_LEADER, BUSY, UNAVAILABLE, UNKNOWN_OUTCOME -> {
                    continue;
                }
                default -> throw new IllegalArgumentException(status.getCode() + " " + status.getMessage());
            }
        }
        return false;
    }

    /** Makes these partitions of a table the beginnings of ranges. */
    public CommandReply split(String account, String table, List<String> partitionKeys) {
        AdminSplitRequest request = AdminSplitRequest.newBuilder()
                .setAccount(account)
                .setTable(table)
                .addAllPartitionKeys(partitionKeys)
                .build();
        String last = "none was asked";
        for (String master : masters) {
            try {
                CommandReply reply = stub(master, SPLIT_SECONDS).split(request);
                if (reply.getStatus().getCode() == ErrorCode.OK) {
                    return reply;
                }
                last = reply.getStatus().getCode() + " " + reply.getStatus().getMessage();
            } catch (StatusRuntimeException silent) {
                last = String.valueOf(silent.getMessage());
            }
        }
        throw new IllegalStateException("the split was not done: " + last);
    }

    /** Makes a key the beginning of a range; answers with what the leader said when that had come to its end. */
    public Status split(Key at) {
        return split(List.of(at));
    }

    /** Makes each of these keys the beginning of a range; answers likewise. */
    public Status split(List<Key> keys) {
        AdminSplitRequest request = AdminSplitRequest.newBuilder()
                .addAllKeys(keys.stream().map(Key::toWire).toList())
                .build();
        return handoff(stub -> stub.split(request));
    }

    /** Makes one range of two neighbours; answers likewise. */
    public Status merge(long range, long neighbour) {
        AdminMergeRequest request = AdminMergeRequest.newBuilder()
                .setRange(range)
                .setWith(neighbour)
                .build();
        return handoff(stub -> stub.merge(request));
    }

    /** Gives a range to a server; answers likewise. */
    public Status move(long range, String server) {
        AdminMoveRequest request =
                AdminMoveRequest.newBuilder().setRange(range).setServer(server).build();
        return handoff(stub -> stub.move(request));
    }

    private Status handoff(Function<AdminBlockingStub, CommandReply> call) {
        Status last = Status.newBuilder().setCode(ErrorCode.UNAVAILABLE).build();
        for (String master : masters) {
            try {
                Status status = call.apply(stub(master, SPLIT_SECONDS)).getStatus();
                if (status.getCode() != ErrorCode.NOT_LEADER) {
                    return status;
                }
                last = last.getCode() == ErrorCode.UNKNOWN_OUTCOME ? last : status;
            } catch (StatusRuntimeException silent) {
                last = Status.newBuilder()
                        .setCode(ErrorCode.UNKNOWN_OUTCOME)
                        .setMessage(String.valueOf(silent.getMessage()))
                        .build();
            }
        }
        return last;
    }

    /** What the leader has decided and seen since the event with a number; fails if no master leads now. */
    public List<Event> events(long after) {
        EventsRequest request = EventsRequest.newBuilder().setAfter(after).build();
        EventsReply reply = leader(stub -> stub.listEvents(request), EventsReply::getStatus);
        return reply.getEventsList();
    }

    /** The handoffs under way; fails if no master leads now. */
    public List<HandoffState> handoffs() {
        HandoffsRequest request = HandoffsRequest.getDefaultInstance();
        return leader(stub -> stub.listHandoffs(request), HandoffsReply::getStatus)
                .getHandoffsList();
    }

    /** Changes settings of the balancer; fails if no master leads now. */
    public void change(Map<String, String> settings) {
        SettingsChange.Builder change = SettingsChange.newBuilder();
        settings.forEach((name, value) ->
                change.addSettings(Setting.newBuilder().setName(name).setValue(value)));
        leader(stub -> stub.changeSettings(change.build()), SettingsReply::getStatus);
    }

    private <T> T leader(Function<AdminBlockingStub, T> call, Function<T, Status> statusOf) {
        String last = "none was asked";
        for (String master : masters) {
            try {
                T reply = call.apply(stub(master, CALL_SECONDS));
                Status status = statusOf.apply(reply);
                if (status.getCode() == ErrorCode.OK) {
                    return reply;
                }
                last = status.getCode() + " " + status.getMessage();
            } catch (StatusRuntimeException silent) {
                last = String.valueOf(silent.getMessage());
            }
        }
        throw new IllegalStateException("no master leads: " + last);
    }

    public List<RangeRow> ranges() {
        return status().getMap().getRowsList();
    }

    /** True if every range has a living owner that says it serves it. */
    boolean isServedWholly() {
        StatusReply status = status();
        Set<Long> serving = new HashSet<>();
        for (RangeState state : status.getStatesList()) {
            if (state.getState().equals(SERVING)) {
                serving.add(state.getRange());
            }
        }
        for (RangeRow row : status.getMap().getRowsList()) {
            boolean alive = status.getMap().getServersList().stream()
                    .map(ServerInfo::getIncarnation)
                    .anyMatch(row.getOwner()::equals);
            if (!alive || !serving.contains(row.getId())) {
                throw new IllegalStateException(
                        "range " + row.getId() + " of " + row.getOwner().getServer() + " is not served");
            }
        }
        return status.getMap().getRowsCount() > 0;
    }

    private AdminBlockingStub stub(String master, long seconds) {
        return AdminGrpc.newBlockingStub(channels.to(master)).withDeadlineAfter(seconds, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        channels.close();
    }
}
