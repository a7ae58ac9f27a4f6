package cleave.dfs.client;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.dfs.DfsException;
import cleave.dfs.DfsException.Reason;
import cleave.dfs.link.ExtentStatus;
import cleave.dfs.link.NodeLink;
import cleave.dfs.link.NodeLink.LengthAnswer;
import cleave.dfs.metrics.DfsMetrics;
import cleave.runtime.loop.ManualLoop;
import com.google.protobuf.ByteString;
import io.prometheus.client.CollectorRegistry;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A writer whose node says what it is told to say, in any order that the node's threads permit. */
class FileWriterTest {
    private static final long EXTENT = 7;
    private static final ClientLimits LIMITS = new ClientLimits(1_000_000, 1, 1, Long.MAX_VALUE, 1 << 20);

    private final ManualLoop loop = new ManualLoop();
    private final ArrayDeque<CompletableFuture<List<LengthAnswer>>> asked = new ArrayDeque<>();
    private final List<Long> offsets = new ArrayList<>();
    private final DfsMetrics metrics = new DfsMetrics(new CollectorRegistry());
    private NodeLink.@Nullable Events events;

    private FileWriter opened() {
        Connection connection = new Connection(loop, link(), failures -> 1, LIMITS, metrics);
        FileWriter writer = new FileWriter(
                "log",
                EXTENT,
                loop,
                connection,
                path -> CompletableFuture.failedFuture(new DfsException(Reason.BROKEN, path)),
                LIMITS.pieceBytes(),
                metrics);
        loop.run(() -> connection.start(() -> {}));
        node().connected("node", session());
        loop.run(() -> connection.writes(writer, EXTENT));
        return writer;
    }

    private NodeLink.Events node() {
        return Objects.requireNonNull(events);
    }

    private NodeLink link() {
        return (NodeLink) Proxy.newProxyInstance(
                NodeLink.class.getClassLoader(), new Class<?>[] {NodeLink.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("connect")) {
                        events = (NodeLink.Events) arguments[0];
                        return null;
                    }
                    assertThat(method.getName()).isEqualTo("visible");
                    asked.add(new CompletableFuture<>());
                    return asked.getLast();
                });
    }

    private NodeLink.Session session() {
        return new NodeLink.Session() {
            @Override
            public void append(NodeLink.Append append) {
                offsets.add(append.offset());
            }

            @Override
            public void barrier(long extent, long offset, long tag) {}

            @Override
            public void close() {}
        };
    }

    /** The answer may be older than the report; then it would seem that the node had lost what it acknowledged. */
    @Test
    void aReportWhileTheNodeIsAskedHowMuchItHasWaitsForTheAnswer() {
        FileWriter writer = opened();
        CompletableFuture<Long> append = writer.append(ByteString.copyFromUtf8("abcde"));
        loop.runReady();
        node().refused(EXTENT, ExtentStatus.WRONG_OFFSET);
        loop.advance(1);

        node().durable(EXTENT, 5);
        asked.remove().complete(List.of(new LengthAnswer(ExtentStatus.OK, 0)));
        loop.runReady();
        assertThat(append).isNotDone();
        assertThat(offsets).containsExactly(0L, 0L);

        node().durable(EXTENT, 5);
        CompletableFuture<Long> next = writer.append(ByteString.copyFromUtf8("f"));
        loop.runReady();
        assertThat(append).isCompletedWithValue(5L);
        assertThat(next).isNotDone();
    }
}
