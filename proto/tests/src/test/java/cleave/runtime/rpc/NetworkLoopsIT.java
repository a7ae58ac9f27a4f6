package cleave.runtime.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.runtime.loop.EventLoop;
import cleave.runtime.loop.EventLoopContract;
import cleave.wire.RangesGrpc;
import cleave.wire.ReadReply;
import cleave.wire.ReadRequest;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class NetworkLoopsIT extends EventLoopContract {
    private final NetworkLoops threads = NetworkLoops.start("test-network", 1);
    private final EventLoop loop = threads.loops(fault::complete).get(0);

    @Override
    protected EventLoop loop() {
        return loop;
    }

    @Override
    protected void close() {
        threads.close();
    }

    @Test
    void callsArriveAndAreAnsweredOnTheThreadOfTheLoop() throws Exception {
        CompletableFuture<Thread> served = new CompletableFuture<>();
        CompletableFuture<Thread> answered = new CompletableFuture<>();
        Transport transport = Transport.PLAIN.on(threads);
        RangesGrpc.RangesImplBase ranges = new RangesGrpc.RangesImplBase() {
            @Override
            public void read(ReadRequest request, StreamObserver<ReadReply> reply) {
                served.complete(Thread.currentThread());
                reply.onNext(ReadReply.getDefaultInstance());
                reply.onCompleted();
            }
        };
        try (RpcServer server = RpcServer.start(transport, "127.0.0.1:0", ranges);
                Channels channels = new Channels(transport)) {
            RangesGrpc.newStub(channels.to(server.address()))
                    .read(ReadRequest.getDefaultInstance(), new StreamObserver<>() {
                        @Override
                        public void onNext(ReadReply reply) {
                            answered.complete(Thread.currentThread());
                        }

                        @Override
                        public void onError(Throwable failure) {
                            answered.completeExceptionally(failure);
                        }

                        @Override
                        public void onCompleted() {}
                    });
            assertThat(answered.get(1, TimeUnit.MINUTES)).isSameAs(threadOfLoop());
            assertThat(served.get(1, TimeUnit.MINUTES)).isSameAs(threadOfLoop());
        }
    }

    @Test
    void thereIsOneLoopForEachThread() {
        try (NetworkLoops three = NetworkLoops.start("test-three", 3)) {
            assertThat(three.loops(fault::complete)).hasSize(3);
        }
    }
}
