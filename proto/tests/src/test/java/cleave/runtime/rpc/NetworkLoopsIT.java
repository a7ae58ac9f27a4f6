package cleave.runtime.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.model.Invariant;
import cleave.runtime.loop.EventLoop;
import cleave.wire.RangesGrpc;
import cleave.wire.ReadReply;
import cleave.wire.ReadRequest;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
final class NetworkLoopsIT {
    private static final long DAY_NANOS = TimeUnit.DAYS.toNanos(1);

    private final CompletableFuture<Throwable> fault = new CompletableFuture<>();
    private final NetworkLoops threads = NetworkLoops.start("test-network", 1);
    private final EventLoop loop = threads.loops(fault::complete).get(0);

    @AfterEach
    void close() {
        threads.close();
    }

    private Thread threadOfLoop() throws Exception {
        CompletableFuture<Thread> thread = new CompletableFuture<>();
        loop.submit(() -> thread.complete(Thread.currentThread()));
        return thread.get(1, TimeUnit.MINUTES);
    }

    @Test
    void eventsRunInOrderOfSubmission() throws Exception {
        List<Integer> ran = new ArrayList<>();
        CompletableFuture<Integer> last = new CompletableFuture<>();
        loop.submit(() -> {
            for (int i = 0; i < 100; i++) {
                int event = i;
                loop.submit(() -> ran.add(event));
            }
            loop.submit(() -> last.complete(ran.size()));
            assertThat(ran).isEmpty(); // From inside: after the current event.
        });
        assertThat(last.get(1, TimeUnit.MINUTES)).isEqualTo(100);
        assertThat(ran).isSorted();
    }

    @Test
    void insideIsTheLoopsThreadOnly() throws Exception {
        CompletableFuture<Boolean> inside = new CompletableFuture<>();
        loop.submit(() -> {
            loop.assertInside();
            inside.complete(true);
        });
        assertThat(inside.get(1, TimeUnit.MINUTES)).isTrue();
        assertThatThrownBy(loop::assertInside).isInstanceOf(Invariant.Violation.class);
    }

    @Test
    void anEventThatThrowsGoesToTheFaultHandlerAndTheNextOneRuns() throws Exception {
        IllegalStateException bug = new IllegalStateException("bug");
        loop.submit(() -> {
            throw bug;
        });
        assertThat(fault.get(1, TimeUnit.MINUTES)).isSameAs(bug);
        assertThat(threadOfLoop().isAlive()).isTrue();
    }

    @Test
    void timersRunAfterTheirDelayUnlessCancelled() throws Exception {
        CompletableFuture<Long> ran = new CompletableFuture<>();
        CompletableFuture<Long> never = new CompletableFuture<>();
        long begun = loop.nanos();
        loop.submit(
                () -> { // From inside, so that no timer can run before it is cancelled.
                    EventLoop.Timer cancelled = loop.schedule(0, () -> never.complete(loop.nanos()));
                    cancelled.cancel();
                    cancelled.cancel();
                    loop.schedule(5_000_000, () -> ran.complete(loop.nanos()));
                });
        assertThat(ran.get(1, TimeUnit.MINUTES) - begun).isGreaterThanOrEqualTo(5_000_000);
        assertThat(never).isNotDone();
    }

    @Test
    void closedThreadsDropWhatComesLater() {
        threads.close();
        loop.submit(() -> fault.complete(new AssertionError("ran after close")));
        loop.schedule(DAY_NANOS, () -> {}).cancel();
        assertThat(fault).isNotDone();
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
