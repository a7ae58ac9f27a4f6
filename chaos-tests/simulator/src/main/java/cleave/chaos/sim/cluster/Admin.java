package cleave.chaos.sim.cluster;

import cleave.chaos.sim.world.SimProcess;
import cleave.chaos.sim.world.World;
import cleave.client.Endpoint;
import cleave.model.Row;
import cleave.runtime.rpc.CallTimeout;
import cleave.wire.AdminDrainRequest;
import cleave.wire.AdminGrpc;
import cleave.wire.AdminGrpc.AdminStub;
import cleave.wire.AdminMergeRequest;
import cleave.wire.AdminMoveRequest;
import cleave.wire.AdminSplitRequest;
import cleave.wire.ChangeMastersRequest;
import cleave.wire.GroupMember;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.function.Consumer;

/** Operators' access to masters. Stateless. */
public final class Admin {
    public static final long PATIENCE_NANOS = 20_000_000_000L;

    private Admin() {}

    /** The leader, or the master that is believed to lead. */
    public static AdminStub of(World world, SimProcess operator, String master) {
        return CallTimeout.on(AdminGrpc.newStub(world.rpc().channel(operator, master + ":1")), PATIENCE_NANOS);
    }

    /** Splits the clients' table before these partitions. */
    public static AdminSplitRequest split(List<String> partitions) {
        return AdminSplitRequest.newBuilder()
                .setAccount(Endpoint.DEVELOPMENT_ACCOUNT)
                .setTable(SimWorkload.TABLE)
                .addAllPartitionKeys(partitions)
                .build();
    }

    /** Merges a range with its right neighbour. */
    public static AdminMergeRequest merge(Row row) {
        return AdminMergeRequest.newBuilder().setRange(row.id()).build();
    }

    public static AdminMoveRequest move(Row row, String server) {
        return AdminMoveRequest.newBuilder()
                .setRange(row.id())
                .setServer(server)
                .build();
    }

    public static AdminDrainRequest drain(String server, boolean undo) {
        return AdminDrainRequest.newBuilder().setServer(server).setUndo(undo).build();
    }

    /** Removes a member of the masters' group, adds a master, or both; an empty name is none. */
    public static ChangeMastersRequest change(String member, String master) {
        ChangeMastersRequest.Builder request = ChangeMastersRequest.newBuilder().setOut(member);
        if (!master.isEmpty()) {
            request.setIn(GroupMember.newBuilder()
                    .setId(master)
                    .setRaft(master + ":2")
                    .setRpc(master + ":1"));
        }
        return request.build();
    }

    /** Receives the answer, if there is one. */
    public static <T> StreamObserver<T> on(Consumer<T> answer) {
        return new StreamObserver<>() {
            @Override
            public void onNext(T reply) {
                answer.accept(reply);
            }

            @Override
            public void onError(Throwable failure) {}

            @Override
            public void onCompleted() {}
        };
    }
}
