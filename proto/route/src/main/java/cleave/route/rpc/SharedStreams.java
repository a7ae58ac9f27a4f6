package cleave.route.rpc;

import cleave.model.Limits;
import cleave.route.CallFailed;
import cleave.route.CallFailed.Fate;
import cleave.route.RangeTransport;
import cleave.runtime.loop.EventLoop;
import cleave.runtime.rpc.Channels;
import cleave.runtime.rpc.PeerHandshake;
import cleave.wire.DropReply;
import cleave.wire.DropRequest;
import cleave.wire.RangeReply;
import cleave.wire.RangeRequest;
import cleave.wire.RangesGrpc;
import cleave.wire.ReadReply;
import cleave.wire.ReadRequest;
import cleave.wire.ScanReply;
import cleave.wire.ScanRequest;
import cleave.wire.WriteReply;
import cleave.wire.WriteRequest;
import io.grpc.Attributes;
import io.grpc.CallOptions;
import io.grpc.ClientStreamTracer;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ClientResponseObserver;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests to partition servers: small writes, reads, and scans with a bound for their replies over one stream per server, and
 * everything else as {@linkplain UnaryCalls unary calls}. A message on a stream that exists costs a fraction of a call. Its methods are for its loop; the futures complete on any thread.
 *
 * <p>A stream has no timeouts: a request on it stays until it is answered, the stream ends, or its caller cancels it. Large requests
 * have their own calls because they would hold up those behind them.
 *
 * <p>When a stream ends, unanswered requests on it may have been executed, unless it never had a connection or the server ended it in
 * order. A server of a version without such streams gets unary calls.
 */
public final class SharedStreams implements RangeTransport {
    /** Larger writes have their own calls. */
    private static final int SHARED_BYTES_MAX = 64 << 10;
    /** A stream that was not used for this long is ended, so that its channel can be closed. */
    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(30);
    /** A server that knows no streams is not asked for one again for this long. */
    private static final long WITHOUT_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final EventLoop loop;
    private final Channels channels;
    private final UnaryCalls calls;
    private final Map<String, Shared> streams = new HashMap<>();
    /** Since when servers, by address, are known to be without streams. */
    private final Map<String, Long> without = new ConcurrentHashMap<>();
    /** The same for those that know no scans on streams. */
    private final Map<String, Long> withoutScans = new ConcurrentHashMap<>();

    private long numbers;

    public SharedStreams(EventLoop loop, Channels channels) {
        this.loop = loop;
        this.channels = channels;
        this.calls = new UnaryCalls(channels);
    }

    @Override
    public CompletableFuture<WriteReply> write(String address, WriteRequest request, long timeoutNanos) {
        Shared stream = request.getSerializedSize() > SHARED_BYTES_MAX ? null : stream(address);
        return stream == null
                ? calls.write(address, request, timeoutNanos)
                : stream.send(RangeRequest.newBuilder().setWrite(request), RangeReply::getWrite);
    }

    @Override
    public CompletableFuture<ReadReply> read(String address, ReadRequest request, long timeoutNanos) {
        Shared stream = stream(address);
        return stream == null
                ? calls.read(address, request, timeoutNanos)
                : stream.send(RangeRequest.newBuilder().setRead(request), RangeReply::getRead);
    }

    @Override
    public CompletableFuture<ScanReply> scan(String address, ScanRequest request, long timeoutNanos) {
        boolean isSmall = request.getBytesMax() > 0 && request.getBytesMax() <= Limits.SHARED_SCAN_BYTES_MAX;
        Shared stream = isSmall && !isRecent(withoutScans.get(address)) ? stream(address) : null;
        if (stream == null) {
            return calls.scan(address, request, timeoutNanos);
        }
        return stream.send(RangeRequest.newBuilder().setScan(request), RangeReply::getScan);
    }

    @Override
    public CompletableFuture<DropReply> drop(String address, DropRequest request, long timeoutNanos) {
        return calls.drop(address, request, timeoutNanos);
    }

    /** Null if requests to that server need unary calls. */
    private @Nullable Shared stream(String address) {
        loop.assertInside();
        if (isRecent(without.get(address))) {
            return null;
        }
        Shared open = streams.get(address);
        if (open != null && !open.ended) {
            return open;
        }
        Shared made = new Shared(address);
        try {
            made.begin();
        } catch (IllegalArgumentException noAddress) {
            return null; // The unary call reports it.
        }
        streams.put(address, made);
        return made;
    }

    private boolean isRecent(@Nullable Long since) {
        return since != null && loop.nanos() - since < WITHOUT_NANOS;
    }

    /** One stream. Requests are sent inside the loop; replies and the end come on the network's thread. */
    private final class Shared extends ClientStreamTracer.Factory
            implements ClientResponseObserver<RangeRequest, RangeReply> {
        private final String address;
        private final Map<Long, Pending<?>> pending = new ConcurrentHashMap<>();
        private volatile boolean mayHaveLeft;
        private volatile boolean ended;
        private volatile Fate fateAtEnd = Fate.UNKNOWN;
        private volatile String reason = "";
        private @Nullable ClientCallStreamObserver<RangeRequest> requests;
        private long usedNanos = loop.nanos();

        Shared(String address) {
            this.address = address;
        }

        /** IllegalArgumentException if the address is none. */
        void begin() {
            ClientCalls.asyncBidiStreamingCall(
                    channels.to(address)
                            .newCall(RangesGrpc.getExchangeMethod(), CallOptions.DEFAULT.withStreamTracerFactory(this)),
                    this);
            loop.schedule(IDLE_NANOS, this::endIfIdle);
        }

        @Override
        public void beforeStart(ClientCallStreamObserver<RangeRequest> made) {
            requests = made;
        }

        /** A stream that never gets a connection is announced to nobody: the other side has not seen it and never will. */
        @Override
        public ClientStreamTracer newClientStreamTracer(ClientStreamTracer.StreamInfo info, Metadata headers) {
            return new ClientStreamTracer() {
                @Override
                public void streamCreated(Attributes transport, Metadata sent) {
                    mayHaveLeft = true;
                }
            };
        }

        <A> CompletableFuture<A> send(RangeRequest.Builder request, Function<RangeReply, A> part) {
            long number = ++numbers;
            usedNanos = loop.nanos();
            Pending<A> answer = new Pending<>(number, request.hasScan(), part);
            pending.put(number, answer);
            ClientCallStreamObserver<RangeRequest> open = requests;
            if (open != null) {
                try {
                    open.onNext(request.setNumber(number).build());
                } catch (RuntimeException endedMeanwhile) {
                    end(fate(), String.valueOf(endedMeanwhile.getMessage()));
                }
            }
            if (ended) { // Perhaps since before it was put.
                failPending();
            }
            return answer;
        }

        /** A request without its reply. */
        private final class Pending<A> extends CompletableFuture<A> {
            private final long number;
            private final boolean isScan;
            private final Function<RangeReply, A> part;

            Pending(long number, boolean isScan, Function<RangeReply, A> part) {
                this.number = number;
                this.isScan = isScan;
                this.part = part;
            }

            void answered(RangeReply reply) {
                if (reply.getReplyCase() == RangeReply.ReplyCase.REPLY_NOT_SET) {
                    if (isScan) {
                        withoutScans.put(address, loop.nanos());
                    }
                    completeExceptionally(
                            new CallFailed(Fate.NOT_EXECUTED, address + " does not know requests of this kind"));
                } else {
                    complete(part.apply(reply));
                }
            }

            @Override
            public boolean cancel(boolean mayInterrupt) {
                pending.remove(number);
                return super.cancel(mayInterrupt);
            }
        }

        @Override
        public void onNext(RangeReply reply) {
            Pending<?> request = pending.remove(reply.getNumber());
            if (request != null) {
                request.answered(reply);
            }
        }

        @Override
        public void onError(Throwable failure) {
            Status status = Status.fromThrowable(failure);
            boolean isWithout = status.getCode() == Status.Code.UNIMPLEMENTED
                    || (status.getCode() == Status.Code.PERMISSION_DENIED && PeerHandshake.isRefusal(failure));
            if (isWithout) {
                without.put(address, loop.nanos());
            }
            end(
                    isWithout || PeerHandshake.isRefusal(failure) ? Fate.NOT_EXECUTED : fate(),
                    status.getCode() + (status.getDescription() == null ? "" : " " + status.getDescription()));
        }

        private Fate fate() {
            return mayHaveLeft ? Fate.UNKNOWN : Fate.NOT_EXECUTED;
        }

        /** The server ended it in order, so requests without a reply were not executed. */
        @Override
        public void onCompleted() {
            end(Fate.NOT_EXECUTED, "the server ended the stream");
        }

        private void end(Fate fate, String why) {
            if (!ended) {
                fateAtEnd = fate;
                reason = why;
                ended = true;
            }
            failPending();
        }

        private void failPending() {
            for (Long number : List.copyOf(pending.keySet())) {
                Pending<?> request = pending.remove(number);
                if (request != null) {
                    request.completeExceptionally(new CallFailed(fateAtEnd, address + ": " + reason));
                }
            }
        }

        private void endIfIdle() {
            if (ended) {
                streams.remove(address, this);
            } else if (pending.isEmpty() && loop.nanos() - usedNanos >= IDLE_NANOS) {
                streams.remove(address, this);
                ClientCallStreamObserver<RangeRequest> open = requests;
                if (open != null) {
                    open.onCompleted();
                }
            } else {
                loop.schedule(IDLE_NANOS, this::endIfIdle);
            }
        }
    }
}
