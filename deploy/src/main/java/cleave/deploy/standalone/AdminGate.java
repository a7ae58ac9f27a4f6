package cleave.deploy.standalone;

import cleave.rpc.Channels;
import cleave.rpc.RpcServer;
import cleave.wire.AdminDrainRequest;
import cleave.wire.AdminGrpc;
import cleave.wire.AdminGrpc.AdminStub;
import cleave.wire.AdminMergeRequest;
import cleave.wire.AdminMoveRequest;
import cleave.wire.AdminSplitRequest;
import cleave.wire.CancelHandoffRequest;
import cleave.wire.CommandReply;
import cleave.wire.EventsReply;
import cleave.wire.EventsRequest;
import cleave.wire.HandoffsReply;
import cleave.wire.HandoffsRequest;
import cleave.wire.SettingsChange;
import cleave.wire.SettingsReply;
import cleave.wire.SettingsRequest;
import cleave.wire.StatusReply;
import cleave.wire.StatusRequest;
import io.grpc.stub.StreamObserver;

/** Lets other processes reach the admin service of a master that listens inside this process only. Thread-safe. */
final class AdminGate extends AdminGrpc.AdminImplBase implements AutoCloseable {
    private final Channels channels = new Channels();
    private final String master;
    private final RpcServer server;

    @SuppressWarnings(
            "this-escape") // The server gets it when all fields but its own are set, and calls nothing of it yet.
    AdminGate(String listen, String master) {
        this.master = master;
        server = RpcServer.start(listen, this);
    }

    String address() {
        return server.address();
    }

    @Override
    public void getStatus(StatusRequest request, StreamObserver<StatusReply> answer) {
        stub().getStatus(request, answer);
    }

    @Override
    public void split(AdminSplitRequest request, StreamObserver<CommandReply> answer) {
        stub().split(request, answer);
    }

    @Override
    public void merge(AdminMergeRequest request, StreamObserver<CommandReply> answer) {
        stub().merge(request, answer);
    }

    @Override
    public void move(AdminMoveRequest request, StreamObserver<CommandReply> answer) {
        stub().move(request, answer);
    }

    @Override
    public void drain(AdminDrainRequest request, StreamObserver<CommandReply> answer) {
        stub().drain(request, answer);
    }

    @Override
    public void cancelHandoff(CancelHandoffRequest request, StreamObserver<CommandReply> answer) {
        stub().cancelHandoff(request, answer);
    }

    @Override
    public void listHandoffs(HandoffsRequest request, StreamObserver<HandoffsReply> answer) {
        stub().listHandoffs(request, answer);
    }

    @Override
    public void listEvents(EventsRequest request, StreamObserver<EventsReply> answer) {
        stub().listEvents(request, answer);
    }

    @Override
    public void listSettings(SettingsRequest request, StreamObserver<SettingsReply> answer) {
        stub().listSettings(request, answer);
    }

    @Override
    public void changeSettings(SettingsChange request, StreamObserver<SettingsReply> answer) {
        stub().changeSettings(request, answer);
    }

    private AdminStub stub() {
        return AdminGrpc.newStub(channels.to(master));
    }

    @Override
    public void close() {
        server.close();
        channels.close();
    }
}
