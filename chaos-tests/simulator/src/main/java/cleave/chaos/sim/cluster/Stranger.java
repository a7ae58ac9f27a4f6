package cleave.chaos.sim.cluster;

import cleave.wire.ErrorCode;
import cleave.wire.RangesGrpc.RangesImplBase;
import cleave.wire.ReadReply;
import cleave.wire.ReadRequest;
import cleave.wire.ScanReply;
import cleave.wire.ScanRequest;
import cleave.wire.Status;
import cleave.wire.WriteOperation;
import cleave.wire.WriteReply;
import cleave.wire.WriteRequest;
import io.grpc.stub.StreamObserver;

/**
 * A server of another cluster with the same early history: it owns ranges with the same ids and epochs, which are
 * empty, so nothing in a request shows that it was meant for another server.
 */
final class Stranger extends RangesImplBase {
    private static final Status OK = Status.newBuilder().setCode(ErrorCode.OK).build();
    private static final Status NOT_FOUND =
            Status.newBuilder().setCode(ErrorCode.NOT_FOUND).build();
    private long ticks = 1;

    @Override
    public void read(ReadRequest request, StreamObserver<ReadReply> reply) {
        reply.onNext(ReadReply.newBuilder().setStatus(NOT_FOUND).build());
        reply.onCompleted();
    }

    @Override
    public void write(WriteRequest request, StreamObserver<WriteReply> reply) {
        WriteReply.Builder done = WriteReply.newBuilder().setStatus(OK);
        for (WriteOperation unused : request.getOperationsList()) {
            done.addTimestamps(ticks++);
        }
        reply.onNext(done.build());
        reply.onCompleted();
    }

    @Override
    public void scan(ScanRequest request, StreamObserver<ScanReply> reply) {
        reply.onNext(ScanReply.newBuilder()
                .setStatus(OK)
                .setExaminedUntil(request.getEnd())
                .build());
        reply.onCompleted();
    }
}
