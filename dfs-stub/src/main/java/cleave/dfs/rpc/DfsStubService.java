package cleave.dfs.rpc;

import cleave.dfs.DfsException;
import cleave.dfs.link.ExtentStatus;
import cleave.dfs.link.Failures;
import cleave.dfs.link.NamesCodec;
import cleave.dfs.link.NodeLink;
import cleave.dfs.metrics.DfsMetrics;
import cleave.dfs.metrics.DfsMetrics.Call;
import cleave.dfs.state.NamesAnswer;
import cleave.dfs.state.NamesCommand;
import cleave.model.Invariant;
import cleave.model.RequestId;
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
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A node's service: hands every call to the node's loop and its answer back. Thread-safe. */
public final class DfsStubService extends DfsStubGrpc.DfsStubImplBase {
    private static final int READ_BYTES_MAX = 8 << 20;
    private static final int LIST_MAX = 2_000;
    private static final int COMMANDS_MAX = 10_000;

    private final NodeLink node;
    private final DfsMetrics metrics;

    public DfsStubService(NodeLink node, DfsMetrics metrics) {
        this.node = node;
        this.metrics = metrics;
    }

    @Override
    public StreamObserver<ExtentRequest> stream(StreamObserver<ExtentReply> replies) {
        Voice voice = new Voice((ServerCallStreamObserver<ExtentReply>) replies);
        node.connect(voice);
        return voice;
    }

    @Override
    public void fence(FenceRequest request, StreamObserver<FenceReply> reply) {
        answer(
                Call.FENCE,
                reply,
                node.fence(request.getNode(), request.getExtentsList()),
                answers ->
                        FenceReply.newBuilder().addAllAnswers(lengths(answers)).build());
    }

    @Override
    public void visibleLengths(VisibleLengthsRequest request, StreamObserver<VisibleLengthsReply> reply) {
        answer(
                Call.VISIBLE_LENGTHS,
                reply,
                node.visible(request.getNode(), request.getExtentsList()),
                answers -> VisibleLengthsReply.newBuilder()
                        .addAllAnswers(lengths(answers))
                        .build());
    }

    private static List<FenceAnswer> lengths(List<NodeLink.LengthAnswer> answers) {
        return answers.stream()
                .map(answer -> FenceAnswer.newBuilder()
                        .setVerdict(WireEnums.wire(answer.status()))
                        .setLength(answer.length())
                        .build())
                .toList();
    }

    @Override
    public void dropExtents(DropExtentsRequest request, StreamObserver<DropExtentsReply> reply) {
        answer(
                Call.DROP_EXTENTS,
                reply,
                node.drop(request.getNode(), request.getExtentsList()),
                status -> DropExtentsReply.newBuilder()
                        .setVerdict(WireEnums.wire(status))
                        .build());
    }

    @Override
    public void readExtent(ReadExtentRequest request, StreamObserver<ReadExtentReply> reply) {
        int length = Math.max(0, Math.min(READ_BYTES_MAX, request.getLength()));
        if (request.getOffset() < 0) {
            refuse(reply, "negative offset");
            return;
        }
        answer(
                Call.READ_EXTENT,
                reply,
                node.read(
                        request.getNode(),
                        new NodeLink.Piece(request.getExtent(), request.getOffset(), length, request.getEnd())),
                read -> ReadExtentReply.newBuilder()
                        .setVerdict(WireEnums.wire(read.status()))
                        .setData(read.bytes())
                        .build());
    }

    @Override
    public void names(NamesRequest request, StreamObserver<NamesReply> reply) {
        List<NamesCommand> commands = commands(request);
        if (commands == null) {
            refuse(reply, "malformed command");
            return;
        }
        answer(
                Call.NAMES,
                reply,
                node.names(request.getNode(), commands),
                answers -> NamesReply.newBuilder()
                        .addAllAnswers(wire(answers, request.getNode()))
                        .build());
    }

    private static @Nullable List<NamesCommand> commands(NamesRequest request) {
        if (request.getCommandsCount() > COMMANDS_MAX) {
            return null;
        }
        try {
            return request.getCommandsList().stream().map(NamesCodec::command).toList();
        } catch (IllegalArgumentException | Invariant.Violation malformed) {
            return null;
        }
    }

    @Override
    public void lookUp(LookUpRequest request, StreamObserver<LookUpReply> reply) {
        answer(
                Call.LOOK_UP,
                reply,
                node.lookUp(request.getNode(), request.getPathsList()),
                answers -> LookUpReply.newBuilder()
                        .addAllAnswers(wire(answers, request.getNode()))
                        .build());
    }

    private static List<cleave.wire.NamesAnswer> wire(List<NamesAnswer> answers, String id) {
        return answers.stream().map(answer -> NamesCodec.wire(answer, id)).toList();
    }

    @Override
    public void listFiles(ListFilesRequest request, StreamObserver<ListFilesReply> reply) {
        int limit = Math.max(1, Math.min(LIST_MAX, request.getLimit()));
        answer(
                Call.LIST_FILES,
                reply,
                node.list(request.getNode(), request.getPrefix(), request.getAfter(), limit),
                found -> ListFilesReply.newBuilder()
                        .addAllFiles(found.files().stream()
                                .map(file -> NamesCodec.wire(file, request.getNode()))
                                .toList())
                        .setMore(found.more())
                        .build());
    }

    @Override
    public void probe(ProbeRequest request, StreamObserver<ProbeReply> reply) {
        answer(Call.PROBE, reply, node.probe(), nothing -> ProbeReply.getDefaultInstance());
    }

    @Override
    public void space(SpaceRequest request, StreamObserver<SpaceReply> reply) {
        answer(
                Call.SPACE,
                reply,
                node.space(),
                space -> SpaceReply.newBuilder().setSpace(WireEnums.wire(space)).build());
    }

    private static void refuse(StreamObserver<?> reply, String why) {
        reply.onError(Status.INVALID_ARGUMENT.withDescription(why).asRuntimeException());
    }

    private <T, R> void answer(
            Call call, StreamObserver<R> reply, CompletableFuture<T> answer, Function<? super T, R> toWire) {
        long began = System.nanoTime();
        ((ServerCallStreamObserver<R>) reply).setOnCancelHandler(() -> {}); // Else a late answer would throw.
        answer.whenComplete((value, failure) -> {
            metrics.answered(call, System.nanoTime() - began, failure != null);
            if (failure == null) {
                reply.onNext(toWire.apply(value));
                reply.onCompleted();
            } else {
                reply.onError(status(failure).asRuntimeException());
            }
        });
    }

    private static Status status(Throwable failure) {
        boolean passing = Failures.reason(failure) == DfsException.Reason.UNAVAILABLE;
        return (passing ? Status.UNAVAILABLE : Status.INTERNAL)
                .withDescription(Failures.cause(failure).toString());
    }

    /** One client's stream. What the node says comes from within its loop, so one at a time. */
    private static final class Voice implements NodeLink.Events, StreamObserver<ExtentRequest> {
        private final ServerCallStreamObserver<ExtentReply> replies;
        private NodeLink.@Nullable Session session;
        private ExtentReply.@Nullable Builder gathered;

        Voice(ServerCallStreamObserver<ExtentReply> replies) {
            this.replies = replies;
            replies.setOnCancelHandler(() -> {});
        }

        @Override
        public void connected(String id, NodeLink.Session opened) {
            session = opened;
            replies.onNext(ExtentReply.newBuilder().setNode(id).build());
        }

        @Override
        public void onNext(ExtentRequest request) {
            NodeLink.Session opened = session;
            if (opened == null) {
                throw new IllegalStateException("a request came before its session was open");
            }
            if (request.getBarrier() != 0) {
                opened.barrier(request.getExtent(), request.getOffset(), request.getBarrier());
            } else {
                opened.append(new NodeLink.Append(
                        request.getExtent(),
                        request.getOffset(),
                        WireEnums.purpose(request.getPurpose()),
                        request.getData(),
                        RequestId.of(request.getRequestHigh(), request.getRequestLow()),
                        request.getTimed()));
            }
        }

        @Override
        public void onError(Throwable gone) {}

        @Override
        public void onCompleted() {}

        private ExtentReply.Builder gathered() {
            ExtentReply.Builder reply = gathered;
            if (reply == null) {
                reply = ExtentReply.newBuilder();
                gathered = reply;
            }
            return reply;
        }

        @Override
        public void durable(long extent, long length) {
            gathered().addDurable(ExtentLength.newBuilder().setExtent(extent).setLength(length));
        }

        @Override
        public void timed(long extent, long length, int queueMicros, int syncMicros) {
            gathered()
                    .addTimed(ExtentTiming.newBuilder()
                            .setExtent(extent)
                            .setLength(length)
                            .setQueueMicros(queueMicros)
                            .setSyncMicros(syncMicros));
        }

        @Override
        public void passed(long tag) {
            gathered().addPassed(tag);
        }

        @Override
        public void refused(long extent, ExtentStatus status) {
            gathered().addRefused(ExtentRefusal.newBuilder().setExtent(extent).setVerdict(WireEnums.wire(status)));
        }

        @Override
        public void flush() {
            ExtentReply.Builder reply = gathered;
            gathered = null;
            if (reply != null) {
                replies.onNext(reply.build());
            }
        }

        @Override
        public void broken(String why) {
            replies.onError(Status.UNAVAILABLE.withDescription(why).asRuntimeException());
        }
    }
}
