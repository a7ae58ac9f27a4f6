package cleave.deploy.admin;

import cleave.deploy.CommandFailure;
import cleave.deploy.terminal.Wait;
import cleave.rpc.Channels;
import cleave.wire.AdminGrpc;
import cleave.wire.AdminGrpc.AdminBlockingStub;
import cleave.wire.AdminSplitRequest;
import cleave.wire.CommandReply;
import cleave.wire.ErrorCode;
import cleave.wire.Status;
import cleave.wire.StatusReply;
import cleave.wire.StatusRequest;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Asks the leader among the masters; finds it by asking each of them in turn. Confined to one thread. */
public final class AdminClient implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Duration PAUSE = Duration.ofMillis(200);
    private static final long CALL_SECONDS = 5;
    private static final long SPLIT_SECONDS = 60;

    private final List<String> masters;
    private final Channels channels = new Channels();

    public AdminClient(List<String> masters) {
        this.masters = List.copyOf(masters);
    }

    public StatusReply status() {
        StatusRequest request = StatusRequest.getDefaultInstance();
        return ask(
                stub -> stub.withDeadlineAfter(CALL_SECONDS, TimeUnit.SECONDS).getStatus(request),
                StatusReply::getStatus);
    }

    /** Returns when all the keys begin ranges; that some did before is no error, so it may be asked again. */
    public void split(AdminSplitRequest request) {
        ask(stub -> stub.withDeadlineAfter(SPLIT_SECONDS, TimeUnit.SECONDS).split(request), CommandReply::getStatus);
    }

    private <T> T ask(Function<AdminBlockingStub, T> call, Function<T, Status> statusOf) {
        Asking<T> asking = new Asking<>(call, statusOf);
        Wait.until(asking::isAnswered, PATIENCE, PAUSE);
        return asking.outcome();
    }

    private final class Asking<T> {
        private final Function<AdminBlockingStub, T> call;
        private final Function<T, Status> statusOf;
        private @Nullable T answer;
        private String lastRefusal = "none answered";

        Asking(Function<AdminBlockingStub, T> call, Function<T, Status> statusOf) {
            this.call = call;
            this.statusOf = statusOf;
        }

        boolean isAnswered() {
            for (String master : masters) {
                if (hasAnswered(master)) {
                    return true;
                }
            }
            return false;
        }

        private boolean hasAnswered(String master) {
            try {
                T reply = call.apply(AdminGrpc.newBlockingStub(channels.to(master)));
                Status status = statusOf.apply(reply);
                if (status.getCode() == ErrorCode.OK) {
                    answer = reply;
                    return true;
                }
                lastRefusal = master + ": " + status.getCode() + " " + status.getMessage();
                if (!isWorthAnotherTry(status.getCode())) {
                    throw CommandFailure.failed(
                            "the master refused: " + status.getMessage() + " (" + status.getCode() + ")");
                }
            } catch (StatusRuntimeException silent) {
                lastRefusal = master + ": " + silent.getStatus().getCode() + " " + silent.getMessage();
            }
            return false;
        }

        T outcome() {
            if (answer == null) {
                throw CommandFailure.unreachable("no leader among the masters " + String.join(", ", masters)
                        + " answered within " + PATIENCE.toSeconds() + " s (" + lastRefusal + ")");
            }
            return answer;
        }
    }

    private static boolean isWorthAnotherTry(ErrorCode code) {
        return switch (code) {
            case NOT_LEADER, BUSY, UNAVAILABLE, NOT_OWNER, STALE_VERSION, UNKNOWN_OUTCOME -> true;
            default -> false;
        };
    }

    @Override
    public void close() {
        channels.close();
    }
}
