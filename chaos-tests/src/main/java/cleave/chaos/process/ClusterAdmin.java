package cleave.chaos.process;

import cleave.rpc.Channels;
import cleave.wire.AdminGrpc;
import cleave.wire.AdminGrpc.AdminBlockingStub;
import cleave.wire.AdminSplitRequest;
import cleave.wire.CommandReply;
import cleave.wire.ErrorCode;
import cleave.wire.MasterPeer;
import cleave.wire.RangeRow;
import cleave.wire.RangeState;
import cleave.wire.ServerInfo;
import cleave.wire.StatusReply;
import cleave.wire.StatusRequest;
import io.grpc.StatusRuntimeException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** What operators ask of the masters, over gRPC. Confined to one thread. */
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

    /** What the leader knows; fails if no master leads now. */
    public StatusReply status() {
        String last = "none was asked";
        for (String master : masters) {
            try {
                StatusReply reply = stub(master, CALL_SECONDS).getStatus(StatusRequest.getDefaultInstance());
                if (reply.getStatus().getCode() == ErrorCode.OK) {
                    return reply;
                }
                last = reply.getStatus().getCode() + " " + reply.getStatus().getMessage();
            } catch (StatusRuntimeException silent) {
                last = String.valueOf(silent.getMessage());
            }
        }
        throw new IllegalStateException("no master leads: " + last);
    }

    /** Index of the master that leads, from 0. */
    public int leader() {
        StatusReply status = status();
        for (int i = 0; i < status.getPeersCount(); i++) {
            MasterPeer peer = status.getPeers(i);
            if (peer.getId().equals(status.getSelf()) || peer.getAddress().equals(status.getSelf())) {
                return masters.indexOf(peer.getAddress());
            }
        }
        return masters.indexOf(status.getLeader());
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
