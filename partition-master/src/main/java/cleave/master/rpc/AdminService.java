package cleave.master.rpc;

import cleave.master.loop.MasterLoop;
import cleave.wire.AdminGrpc.AdminImplBase;
import cleave.wire.AdminSplitRequest;
import cleave.wire.CommandReply;
import cleave.wire.StatusReply;
import cleave.wire.StatusRequest;
import io.grpc.stub.StreamObserver;
import java.util.function.Function;

/** What operators ask, over gRPC. Thread-safe. */
public final class AdminService extends AdminImplBase {
    private final MasterLoop master;

    public AdminService(MasterLoop master) {
        this.master = master;
    }

    @Override
    public void getStatus(StatusRequest request, StreamObserver<StatusReply> observer) {
        Replies.send(observer, master.status(), Function.identity());
    }

    @Override
    public void split(AdminSplitRequest request, StreamObserver<CommandReply> observer) {
        Replies.send(observer, master.split(request), Replies::command);
    }
}
