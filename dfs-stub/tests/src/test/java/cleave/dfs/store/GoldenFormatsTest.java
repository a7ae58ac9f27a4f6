package cleave.dfs.store;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.dfs.link.ExtentStatus;
import cleave.dfs.link.NodeLink.LengthAnswer;
import cleave.dfs.node.NodeLimits;
import cleave.dfs.state.NamesAnswer.Outcome;
import cleave.dfs.state.NamesCommand;
import cleave.formats.GoldenFormat;
import com.google.protobuf.ByteString;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Disks that earlier versions wrote are read, and still written byte by byte as long as their format's version stays. */
final class GoldenFormatsTest {
    private static final NodeLimits LIMITS = new NodeLimits(1 << 20, 2_048);
    private static final ByteString LONG = ByteString.copyFrom(bytes(9_000));
    private static final int APPENDS = 40;
    private static final List<String> NUMBERED = List.of("ranges/1.0/4-s1.8-log-7", "ranges/1.0/4-s1.9-log-3");
    private static final ByteString SHORT = ByteString.copyFrom(bytes(77));

    private static byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    private static Outcome names(DirectNode node, NamesCommand command) {
        return node.link
                .names(DirectNode.ID, List.of(command))
                .getNow(List.of())
                .get(0)
                .outcome();
    }

    /** Every kind of record and of names' command. */
    private static DirectNode written(NodeLimits limits, List<String> numbered) throws IOException {
        ForgetfulDisk disk = new ForgetfulDisk();
        DirectNode.put(disk, "node", "direct-00000000000012ab".getBytes(StandardCharsets.US_ASCII));
        disk.syncFolder("");
        DirectNode node = new DirectNode(disk, limits);
        for (String path : List.of("a/open", "a/sealed", "b/gone", "b/going")) {
            assertThat(names(node, new NamesCommand.CreateFile(path, 7))).isEqualTo(Outcome.DONE);
        }
        node.append(1, 0, LONG);
        node.append(1, LONG.size(), SHORT);
        node.append(2, 0, SHORT);
        node.fence(2);
        names(node, new NamesCommand.MarkSealing("a/sealed"));
        names(node, new NamesCommand.RecordSealed("a/sealed", 2, SHORT.size()));
        names(node, new NamesCommand.AddExtent("a/open", 1, LONG.size() + SHORT.size()));
        node.append(3, 0, SHORT);
        node.link.drop(DirectNode.ID, List.of(3L));
        for (String path : List.of("b/gone", "b/going")) {
            names(node, new NamesCommand.DeleteFile(path));
        }
        names(node, new NamesCommand.FinishDelete("b/gone"));
        for (String path : numbered) {
            names(node, new NamesCommand.CreateFile(path, 7));
            names(node, new NamesCommand.DeleteFile(path));
        }
        for (int i = 0; i < APPENDS; i++) {
            node.append(5, (long) i * SHORT.size(), SHORT);
        }
        return node;
    }

    private static void assertHolds(DirectNode node) {
        assertThat(node.read(1, 0, 1 << 20, -1).bytes()).isEqualTo(LONG.concat(SHORT));
        assertThat(node.fence(2)).isEqualTo(new LengthAnswer(ExtentStatus.OK, SHORT.size()));
        assertThat(node.read(2, 0, 1 << 20, SHORT.size()).bytes()).isEqualTo(SHORT);
        assertThat(node.fence(3).status()).isEqualTo(ExtentStatus.DELETED);
        ByteString all = ByteString.copyFrom(Collections.nCopies(APPENDS, SHORT));
        assertThat(node.read(5, 0, 1 << 20, -1).bytes()).isEqualTo(all);
        assertThat(names(node, new NamesCommand.MarkSealing("b/gone"))).isEqualTo(Outcome.DELETED);
        assertThat(names(node, new NamesCommand.MarkSealing("b/going"))).isEqualTo(Outcome.DELETED);
        assertThat(names(node, new NamesCommand.MarkSealing("a/sealed"))).isEqualTo(Outcome.SEALED);
        assertThat(names(node, new NamesCommand.CreateFile("a/open", 9))).isEqualTo(Outcome.EXISTS);
    }

    private static void assertDisk(String format, int version, NodeLimits limits, List<String> numbered)
            throws IOException {
        GoldenFormat golden = GoldenFormat.of(format, version);
        ForgetfulDisk disk = written(limits, numbered).disk;
        for (String folder : List.of("", "journal", "extents")) {
            for (String name : disk.list(folder)) {
                String path = folder.isEmpty() ? name : folder + "/" + name;
                golden.assertIsWritten(path, DirectNode.bytes(disk, path));
            }
        }
        assertRead(format, version);
    }

    private static void assertRead(String format, int version) throws IOException {
        assertHolds(read(format, version));
    }

    private static DirectNode read(String format, int version) throws IOException {
        GoldenFormat golden = GoldenFormat.of(format, version);
        ForgetfulDisk kept = new ForgetfulDisk();
        for (Map.Entry<String, byte[]> file : golden.files().entrySet()) {
            DirectNode.put(kept, file.getKey(), file.getValue());
        }
        for (String folder : List.of("", "journal", "extents")) {
            kept.syncFolder(folder);
        }
        assertThat(NodeId.readOrMake(kept, "direct", new Random(1))).isEqualTo("direct-00000000000012ab");
        return new DirectNode(kept, LIMITS);
    }

    @Test
    void journals() throws IOException {
        assertDisk("node-journal", 1, LIMITS, List.of());
    }

    /** Segments so short that a checkpoint is written again and again. */
    @Test
    void checkpoints() throws IOException {
        assertDisk("node-checkpoint", 2, new NodeLimits(2_048, 2_048), NUMBERED);
        assertThat(names(read("node-checkpoint", 2), new NamesCommand.MarkSealing(NUMBERED.get(0))))
                .isEqualTo(Outcome.DELETED);
    }

    @Test
    void checkpointsOfTheFirstFormat() throws IOException {
        assertRead("node-checkpoint", 1);
    }
}
