package cleave.chaos.bench.empty;

import cleave.runtime.loop.ThreadLoop;
import cleave.runtime.rpc.NetworkLoops;
import cleave.runtime.rpc.RpcServer;
import cleave.runtime.rpc.Transport;
import cleave.wire.DfsStubGrpc.DfsStubImplBase;
import cleave.wire.ExtentLength;
import cleave.wire.ExtentReply;
import cleave.wire.ExtentRequest;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Receives a stream as a DFS node does; answers a barrier at once, and appends when they are in a file that was synced: one thread writes all
 * that wait, and syncs once. Thread-safe. It has no extents.
 */
final class EmptyDfs extends DfsStubImplBase implements AutoCloseable {
    private final NetworkLoops network = NetworkLoops.start("empty-dfs", NetworkLoops.COUNT);
    private final LinkedBlockingQueue<Append> appends = new LinkedBlockingQueue<>();
    private final FileChannel file;
    private final String listen;
    private @Nullable RpcServer rpc;

    /** Waits to be durable. */
    private record Append(ExtentRequest request, Client from) {}

    EmptyDfs(int port, Path file) throws IOException {
        this.listen = "127.0.0.1:" + port;
        this.file = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    }

    void start() {
        Thread journal = new Thread(this::write, "empty-journal");
        journal.setDaemon(true);
        journal.start();
        rpc = RpcServer.start(Transport.PLAIN.on(network), listen, this);
    }

    String address() {
        return listen;
    }

    @Override
    public StreamObserver<ExtentRequest> stream(StreamObserver<ExtentReply> replies) {
        return new Client(replies);
    }

    private void write() {
        List<Append> group = new ArrayList<>();
        try {
            while (true) {
                group.add(appends.take());
                appends.drainTo(group);
                for (Append append : group) {
                    for (ByteBuffer part : append.request().getData().asReadOnlyByteBufferList()) {
                        while (part.hasRemaining()) {
                            file.write(part);
                        }
                    }
                }
                file.force(false);
                answer(group);
                group.clear();
            }
        } catch (IOException | RuntimeException failed) {
            ThreadLoop.haltOnFault(failed);
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    /** One message to each client. */
    private static void answer(List<Append> durable) {
        Map<Client, ExtentReply.Builder> replies = new LinkedHashMap<>();
        for (Append append : durable) {
            ExtentRequest request = append.request();
            replies.computeIfAbsent(append.from(), client -> ExtentReply.newBuilder())
                    .addDurable(ExtentLength.newBuilder()
                            .setExtent(request.getExtent())
                            .setLength(request.getOffset() + request.getData().size()));
        }
        replies.forEach((client, reply) -> client.send(reply.build()));
    }

    /** The stream of one server. */
    private final class Client implements StreamObserver<ExtentRequest> {
        private final StreamObserver<ExtentReply> replies;
        private final ReentrantLock sending = new ReentrantLock();

        Client(StreamObserver<ExtentReply> replies) {
            this.replies = replies;
        }

        @Override
        public void onNext(ExtentRequest request) {
            if (request.getBarrier() == 0) {
                appends.add(new Append(request, this));
            } else {
                send(ExtentReply.newBuilder().addPassed(request.getBarrier()).build());
            }
        }

        private void send(ExtentReply reply) {
            sending.lock();
            try {
                replies.onNext(reply);
            } finally {
                sending.unlock();
            }
        }

        @Override
        public void onError(Throwable gone) {}

        @Override
        public void onCompleted() {
            replies.onCompleted();
        }
    }

    @Override
    public void close() {
        if (rpc != null) {
            rpc.close();
        }
        network.close();
    }
}
