package cleave.dfs.rpc;

import cleave.dfs.Dfs.Space;
import cleave.dfs.DfsException;
import cleave.dfs.DfsException.Reason;
import cleave.dfs.link.ExtentStatus;
import cleave.dfs.link.NamesCodec;
import cleave.dfs.link.NodeLink;
import cleave.dfs.state.NamesAnswer;
import cleave.dfs.state.NamesCommand;
import cleave.runtime.rpc.CallTimeout;
import cleave.wire.DfsStubGrpc;
import cleave.wire.DropExtentsReply;
import cleave.wire.DropExtentsRequest;
import cleave.wire.ExtentLength;
import cleave.wire.ExtentRefusal;
import cleave.wire.ExtentReply;
import cleave.wire.ExtentRequest;
import cleave.wire.ExtentTiming;
import cleave.wire.FenceAnswer;
import cleave.wire.FenceReply;
import cleave.wire.FenceRequest;
import cleave.wire.ListFilesReply;
import cleave.wire.ListFilesRequest;
import cleave.wire.LookUpReply;
import cleave.wire.LookUpRequest;
import cleave.wire.NamesReply;
import cleave.wire.NamesRequest;
import cleave.wire.ProbeReply;
import cleave.wire.ProbeRequest;
import cleave.wire.ReadExtentReply;
import cleave.wire.ReadExtentRequest;
import cleave.wire.SpaceReply;
import cleave.wire.SpaceRequest;
import cleave.wire.VisibleLengthsReply;
import cleave.wire.VisibleLengthsRequest;
import io.grpc.Channel;
import io.grpc.Status;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A node reached over gRPC. Thread-safe; the calls of one session come one after the other. */
public final class GrpcLink implements NodeLink {
    private static final long CALL_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Supplier<? extends Channel> channel;
    private final Runnable findAgain;
    private final Runnable whenClosed;

    /**
     * @param channel to the node; asked for at each call
     * @param findAgain has the channel look the node's address up again
     */
    public GrpcLink(Supplier<? extends Channel> channel, Runnable findAgain, Runnable whenClosed) {
        this.channel = channel;
        this.findAgain = findAgain;
        this.whenClosed = whenClosed;
    }

    @Override
    public void connect(Events events) {
        Stream stream = new Stream(events);
        try {
            DfsStubGrpc.newStub(channel.get()).stream(stream);
        } catch (RuntimeException refused) {
            events.broken(refused.toString());
        }
    }

    @Override
    public void findAgain() {
        findAgain.run();
    }

    @Override
    public CompletableFuture<List<LengthAnswer>> fence(String node, List<Long> extents) {
        FenceRequest request =
                FenceRequest.newBuilder().setNode(node).addAllExtents(extents).build();
        return this.<FenceReply, List<LengthAnswer>>call(
                (stub, reply) -> stub.fence(request, reply), reply -> lengths(reply.getAnswersList()));
    }

    @Override
    public CompletableFuture<List<LengthAnswer>> visible(String node, List<Long> extents) {
        VisibleLengthsRequest request = VisibleLengthsRequest.newBuilder()
                .setNode(node)
                .setSole(true)
                .addAllExtents(extents)
                .build();
        return this.<VisibleLengthsReply, List<LengthAnswer>>call(
                (stub, reply) -> stub.visibleLengths(request, reply), reply -> lengths(reply.getAnswersList()));
    }

    private static List<LengthAnswer> lengths(List<FenceAnswer> answers) {
        return answers.stream()
                .map(answer -> new LengthAnswer(WireEnums.status(answer.getVerdict()), answer.getLength()))
                .toList();
    }

    @Override
    public CompletableFuture<ExtentStatus> drop(String node, List<Long> extents) {
        DropExtentsRequest request = DropExtentsRequest.newBuilder()
                .setNode(node)
                .addAllExtents(extents)
                .build();
        return this.<DropExtentsReply, ExtentStatus>call(
                (stub, reply) -> stub.dropExtents(request, reply), reply -> WireEnums.status(reply.getVerdict()));
    }

    @Override
    public CompletableFuture<ExtentBytes> read(String node, Piece piece) {
        ReadExtentRequest request = ReadExtentRequest.newBuilder()
                .setNode(node)
                .setExtent(piece.extent())
                .setOffset(piece.offset())
                .setLength(piece.length())
                .setEnd(piece.end())
                .setSole(true)
                .build();
        return this.<ReadExtentReply, ExtentBytes>call(
                (stub, reply) -> stub.readExtent(request, reply),
                reply -> new ExtentBytes(WireEnums.status(reply.getVerdict()), reply.getData()));
    }

    @Override
    public CompletableFuture<List<NamesAnswer>> names(String node, List<NamesCommand> commands) {
        NamesRequest request = NamesRequest.newBuilder()
                .setNode(node)
                .addAllCommands(commands.stream()
                        .map(command -> NamesCodec.wire(command, node))
                        .toList())
                .build();
        return this.<NamesReply, List<NamesAnswer>>call(
                (stub, reply) -> stub.names(request, reply), reply -> answers(reply.getAnswersList()));
    }

    @Override
    public CompletableFuture<List<NamesAnswer>> lookUp(String node, List<String> paths) {
        LookUpRequest request =
                LookUpRequest.newBuilder().setNode(node).addAllPaths(paths).build();
        return this.<LookUpReply, List<NamesAnswer>>call(
                (stub, reply) -> stub.lookUp(request, reply), reply -> answers(reply.getAnswersList()));
    }

    private static List<NamesAnswer> answers(List<cleave.wire.NamesAnswer> answers) {
        return answers.stream().map(NamesCodec::answer).toList();
    }

    @Override
    public CompletableFuture<FileList> list(String node, String prefix, String after, int limit) {
        ListFilesRequest request = ListFilesRequest.newBuilder()
                .setNode(node)
                .setPrefix(prefix)
                .setAfter(after)
                .setLimit(limit)
                .build();
        return this.<ListFilesReply, FileList>call(
                (stub, reply) -> stub.listFiles(request, reply),
                reply -> new FileList(
                        reply.getFilesList().stream().map(NamesCodec::file).toList(), reply.getMore()));
    }

    @Override
    public CompletableFuture<Void> probe() {
        return this.<ProbeReply, @Nullable Void>call(
                (stub, reply) -> stub.probe(ProbeRequest.getDefaultInstance(), reply), reply -> null);
    }

    @Override
    public CompletableFuture<Space> space() {
        return this.<SpaceReply, Space>call(
                (stub, reply) -> stub.space(SpaceRequest.getDefaultInstance(), reply),
                reply -> WireEnums.space(reply.getSpace()));
    }

    @Override
    public void close() {
        whenClosed.run();
    }

    private <R, T extends @Nullable Object> CompletableFuture<T> call(
            BiConsumer<DfsStubGrpc.DfsStubStub, StreamObserver<R>> call, Function<R, T> fromWire) {
        CompletableFuture<T> result = new CompletableFuture<>();
        StreamObserver<R> reply = new StreamObserver<>() {
            @Override
            public void onNext(R value) {
                try {
                    result.complete(fromWire.apply(value));
                } catch (RuntimeException malformed) {
                    result.completeExceptionally(malformed);
                }
            }

            @Override
            public void onError(Throwable failure) {
                result.completeExceptionally(failure(failure));
            }

            @Override
            public void onCompleted() {
                result.completeExceptionally(new DfsException(Reason.UNAVAILABLE, "the node gave no answer"));
            }
        };
        try {
            call.accept(CallTimeout.on(DfsStubGrpc.newStub(channel.get()), CALL_NANOS), reply);
        } catch (RuntimeException refused) {
            result.completeExceptionally(failure(refused));
        }
        return result;
    }

    private static DfsException failure(Throwable failure) {
        Status status = Status.fromThrowable(failure);
        Reason reason = switch (status.getCode()) {
            case INVALID_ARGUMENT -> Reason.INVALID;
            case UNIMPLEMENTED, INTERNAL -> Reason.BROKEN;
            default -> Reason.UNAVAILABLE;
        };
        return new DfsException(
                reason, "the node was not reached: " + status.getCode() + " " + status.getDescription());
    }

    /** The stream of one session. */
    private static final class Stream implements ClientResponseObserver<ExtentRequest, ExtentReply>, Session {
        private final Events events;
        private @Nullable ClientCallStreamObserver<ExtentRequest> requests;
        private volatile boolean ended;

        Stream(Events events) {
            this.events = events;
        }

        @Override
        public void beforeStart(ClientCallStreamObserver<ExtentRequest> made) {
            requests = made;
        }

        @Override
        public void onNext(ExtentReply reply) {
            if (!reply.getNode().isEmpty()) {
                events.connected(reply.getNode(), this);
            }
            for (ExtentTiming timed : reply.getTimedList()) {
                events.timed(timed.getExtent(), timed.getLength(), timed.getQueueMicros(), timed.getSyncMicros());
            }
            for (ExtentLength durable : reply.getDurableList()) {
                events.durable(durable.getExtent(), durable.getLength());
            }
            for (int i = 0; i < reply.getPassedCount(); i++) {
                events.passed(reply.getPassed(i));
            }
            for (ExtentRefusal refused : reply.getRefusedList()) {
                events.refused(refused.getExtent(), WireEnums.status(refused.getVerdict()));
            }
            events.flush();
        }

        @Override
        public void onError(Throwable failure) {
            end(reason(failure));
        }

        /** gRPC itself says no more than "io exception"; its cause tells a refused connection from an untrusted certificate. */
        private static String reason(Throwable failure) {
            Throwable root = failure;
            while (root.getCause() != null) {
                root = root.getCause();
            }
            return Status.fromThrowable(failure).getCode() + ": " + root;
        }

        @Override
        public void onCompleted() {
            end("the node ended the stream");
        }

        private void end(String why) {
            ended = true;
            events.broken(why);
        }

        @Override
        public void append(Append append) {
            send(ExtentRequest.newBuilder()
                    .setExtent(append.extent())
                    .setOffset(append.offset())
                    .setPurpose(WireEnums.wire(append.purpose()))
                    .setData(append.bytes())
                    .setRequestHigh(append.request().high())
                    .setRequestLow(append.request().low())
                    .setTimed(append.timed())
                    .build());
        }

        @Override
        public void barrier(long extent, long offset, long tag) {
            send(ExtentRequest.newBuilder()
                    .setExtent(extent)
                    .setOffset(offset)
                    .setBarrier(tag)
                    .build());
        }

        private void send(ExtentRequest request) {
            ClientCallStreamObserver<ExtentRequest> target = requests;
            if (!ended && target != null) {
                try {
                    target.onNext(request);
                } catch (RuntimeException brokenMeanwhile) {
                    end(brokenMeanwhile.toString());
                }
            }
        }

        @Override
        public void close() {
            ended = true;
            ClientCallStreamObserver<ExtentRequest> target = requests;
            if (target != null) {
                target.cancel("the session was closed", null);
            }
        }
    }
}
