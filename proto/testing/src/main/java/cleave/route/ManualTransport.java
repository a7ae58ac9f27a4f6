package cleave.route;

import cleave.wire.DropReply;
import cleave.wire.DropRequest;
import cleave.wire.ReadReply;
import cleave.wire.ReadRequest;
import cleave.wire.ScanReply;
import cleave.wire.ScanRequest;
import cleave.wire.WriteReply;
import cleave.wire.WriteRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A {@link RangeTransport} for tests that keeps the requests, which are answered by hand. Confined to the test's thread. */
public final class ManualTransport implements RangeTransport {
    /** A call, pending or done. */
    public record Call<Q, A>(String address, Q request, long timeoutNanos, CompletableFuture<A> answer) {
        public void fail(CallFailed.Fate fate) {
            answer.completeExceptionally(new CallFailed(fate, "broken by the test"));
        }
    }

    public final List<Call<WriteRequest, WriteReply>> writes = new ArrayList<>();
    public final List<Call<ReadRequest, ReadReply>> reads = new ArrayList<>();
    public final List<Call<ScanRequest, ScanReply>> scans = new ArrayList<>();
    public final List<Call<DropRequest, DropReply>> drops = new ArrayList<>();

    @Override
    public CompletableFuture<WriteReply> write(String address, WriteRequest request, long timeoutNanos) {
        return keep(writes, address, request, timeoutNanos);
    }

    @Override
    public CompletableFuture<ReadReply> read(String address, ReadRequest request, long timeoutNanos) {
        return keep(reads, address, request, timeoutNanos);
    }

    @Override
    public CompletableFuture<ScanReply> scan(String address, ScanRequest request, long timeoutNanos) {
        return keep(scans, address, request, timeoutNanos);
    }

    @Override
    public CompletableFuture<DropReply> drop(String address, DropRequest request, long timeoutNanos) {
        return keep(drops, address, request, timeoutNanos);
    }

    private static <Q, A> CompletableFuture<A> keep(
            List<Call<Q, A>> calls, String address, Q request, long timeoutNanos) {
        Call<Q, A> call = new Call<>(address, request, timeoutNanos, new CompletableFuture<>());
        calls.add(call);
        return call.answer();
    }
}
