package cleave.chaos.bench.empty;

import cleave.runtime.loop.EventLoop;
import cleave.runtime.loop.ThreadLoop;
import cleave.runtime.rpc.Channels;
import cleave.runtime.rpc.NetworkLoops;
import cleave.runtime.rpc.RpcServer;
import cleave.runtime.rpc.Transport;
import cleave.wire.DfsStubGrpc;
import cleave.wire.ErrorCode;
import cleave.wire.ExtentLength;
import cleave.wire.ExtentReply;
import cleave.wire.ExtentRequest;
import cleave.wire.RangeReply;
import cleave.wire.RangeRequest;
import cleave.wire.RangesGrpc.RangesImplBase;
import cleave.wire.ReadReply;
import cleave.wire.Status;
import cleave.wire.WriteKind;
import cleave.wire.WriteReply;
import cleave.wire.WriteRequest;
import com.google.protobuf.ByteString;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Receives requests on a stream as a server does, sends the message to the DFS node that it would send, and answers when that is answered.
 * Thread-safe. Requests and answers pass through its loops, which are the threads of its network; it has no ranges and no store.
 */
final class EmptyServer extends RangesImplBase implements AutoCloseable {
    private static final Status OK = Status.newBuilder().setCode(ErrorCode.OK).build();
    private static final long TIMESTAMP = 638_000_000_000_000_000L;
    private static final int MICROS = 100;

    private final NetworkLoops network = NetworkLoops.start("empty-server", NetworkLoops.COUNT);
    private final Transport transport = Transport.PLAIN.on(network);
    private final Channels channels = new Channels(transport);
    private final List<EventLoop> loops = network.loops(ThreadLoop::haltOnFault);
    private final AtomicLong tags = new AtomicLong();
    /** The actions after a barrier has passed, by its tag. */
    private final Map<Long, Runnable> barriers = new ConcurrentHashMap<>();
    /** The actions after an append, by the length that is durable then. */
    private final Map<Long, Runnable> appends = new ConcurrentHashMap<>();

    private final ReentrantLock sending = new ReentrantLock();
    private final String listen;
    private final String dfs;
    private @Nullable RpcServer rpc;
    private @Nullable StreamObserver<ExtentRequest> stream;
    /** Guarded by {@link #sending}. */
    private long length;

    EmptyServer(int port, String dfs) {
        this.listen = "127.0.0.1:" + port;
        this.dfs = dfs;
        channels.keep(() -> Set.of(dfs));
    }

    void start() {
        stream = DfsStubGrpc.newStub(channels.to(dfs)).stream(new Replies());
        rpc = RpcServer.start(transport, listen, this);
    }

    String address() {
        return listen;
    }

    @Override
    public StreamObserver<RangeRequest> exchange(StreamObserver<RangeReply> replies) {
        ReentrantLock answering = new ReentrantLock();
        Consumer<RangeReply> reply = answer -> {
            answering.lock();
            try {
                replies.onNext(answer);
            } finally {
                answering.unlock();
            }
        };
        return new StreamObserver<>() {
            @Override
            public void onNext(RangeRequest request) {
                if (request.hasRead()) {
                    read(request.getNumber(), reply);
                } else {
                    write(request.getNumber(), request.getWrite(), reply);
                }
            }

            @Override
            public void onError(Throwable gone) {}

            @Override
            public void onCompleted() {
                replies.onCompleted();
            }
        };
    }

    private void read(long number, Consumer<RangeReply> reply) {
        long tag = tags.incrementAndGet();
        Runnable answer = () -> reply.accept(RangeReply.newBuilder()
                .setNumber(number)
                .setRead(ReadReply.newBuilder()
                        .setStatus(OK)
                        .setEntity(Payload.ENTITY)
                        .setQueueMicros(MICROS)
                        .setDfsMicros(MICROS))
                .build());
        EventLoop loop = loop(tag);
        loop.submit(() -> barrier(tag, () -> loop.submit(answer)));
    }

    private void write(long number, WriteRequest request, Consumer<RangeReply> reply) {
        boolean isInsert = request.getOperations(0).getKind() == WriteKind.INSERT;
        Runnable answer = () -> reply.accept(RangeReply.newBuilder()
                .setNumber(number)
                .setWrite(WriteReply.newBuilder()
                        .setStatus(OK)
                        .addTimestamps(TIMESTAMP)
                        .setQueueMicros(MICROS)
                        .setDfsMicros(MICROS))
                .build());
        EventLoop loop = loop(tags.incrementAndGet());
        loop.submit(() -> append(isInsert ? Payload.INSERTED : Payload.MERGED, () -> loop.submit(answer)));
    }

    private EventLoop loop(long tag) {
        return loops.get((int) Math.floorMod(tag, (long) loops.size()));
    }

    private void barrier(long tag, Runnable then) {
        barriers.put(tag, then);
        send(ExtentRequest.newBuilder().setExtent(1).setBarrier(tag), 0);
    }

    private void append(ByteString record, Runnable then) {
        sending.lock();
        try {
            appends.put(length + record.size(), then);
            send(ExtentRequest.newBuilder().setExtent(1).setData(record), record.size());
        } finally {
            sending.unlock();
        }
    }

    private void send(ExtentRequest.Builder request, int bytes) {
        StreamObserver<ExtentRequest> target = stream;
        if (target == null) {
            throw new IllegalStateException("a call came before the start");
        }
        sending.lock();
        try {
            target.onNext(
                    request.setOffset(length).setRequestHigh(Long.MIN_VALUE).build());
            length += bytes;
        } finally {
            sending.unlock();
        }
    }

    /** The replies of the DFS node. */
    private final class Replies implements StreamObserver<ExtentReply> {
        @Override
        public void onNext(ExtentReply reply) {
            for (ExtentLength durable : reply.getDurableList()) {
                answered(appends.remove(durable.getLength()));
            }
            for (int i = 0; i < reply.getPassedCount(); i++) {
                answered(barriers.remove(reply.getPassed(i)));
            }
        }

        private void answered(@Nullable Runnable waiting) {
            if (waiting == null) {
                throw new IllegalStateException("an answer that nothing waits for");
            }
            waiting.run();
        }

        @Override
        public void onError(Throwable failure) {
            ThreadLoop.haltOnFault(failure);
        }

        @Override
        public void onCompleted() {
            ThreadLoop.haltOnFault(new IllegalStateException("the stream has ended"));
        }
    }

    @Override
    public void close() {
        if (rpc != null) {
            rpc.close();
        }
        channels.close();
        network.close();
    }
}
