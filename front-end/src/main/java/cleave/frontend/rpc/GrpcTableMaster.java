package cleave.frontend.rpc;

import cleave.frontend.handlers.TableMaster;
import cleave.route.rpc.MasterClient;
import cleave.runtime.loop.Clock;
import cleave.wire.AllocateReply;
import cleave.wire.CommandReply;
import cleave.wire.DropTableRequest;
import java.util.concurrent.CompletableFuture;

/** {@link TableMaster} by a {@link MasterClient}, whose loop it shares. Thread-safe. */
public final class GrpcTableMaster implements TableMaster {
    private final Clock clock;
    private final MasterClient masters;

    public GrpcTableMaster(Clock clock, MasterClient masters) {
        this.clock = clock;
        this.masters = masters;
    }

    @Override
    public CompletableFuture<AllocateReply> allocateTableIds(int count, long deadlineNanos) {
        return masters.allocateTableIds(count, remaining(deadlineNanos));
    }

    @Override
    public CompletableFuture<CommandReply> dropTable(String account, String name, long table, long deadlineNanos) {
        DropTableRequest request = DropTableRequest.newBuilder()
                .setAccount(account)
                .setName(name)
                .setTable(table)
                .build();
        return masters.dropTable(request, remaining(deadlineNanos));
    }

    private long remaining(long deadlineNanos) {
        return Math.max(0, deadlineNanos - clock.nanos());
    }
}
