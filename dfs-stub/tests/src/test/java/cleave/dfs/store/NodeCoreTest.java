package cleave.dfs.store;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.dfs.Dfs;
import cleave.dfs.client.ClientLimits;
import cleave.dfs.client.StreamClient;
import cleave.dfs.link.ExtentStatus;
import cleave.dfs.link.NodeLink.LengthAnswer;
import cleave.dfs.metrics.DfsMetrics;
import cleave.dfs.node.NodeLimits;
import cleave.dfs.node.SpaceMarks;
import cleave.dfs.state.ExtentPlace;
import cleave.dfs.state.NamesAnswer;
import cleave.dfs.state.NamesCommand;
import com.google.protobuf.ByteString;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A node's answers about single extents. */
final class NodeCoreTest {
    private static final NodeLimits LIMITS = new NodeLimits(1 << 20, 4_000);
    private static final ByteString ABC = ByteString.copyFromUtf8("abc");

    private DirectNode node;

    @BeforeEach
    void start() throws IOException {
        node = new DirectNode(new ForgetfulDisk(), LIMITS);
    }

    private String last() {
        return node.heard.get(node.heard.size() - 1);
    }

    @Test
    void anAppendIsTakenAtItsExactLengthOnly() {
        node.append(1, 0, ABC);
        assertThat(last()).isEqualTo("durable 1 3");
        node.append(1, 4, ABC);
        assertThat(last()).isEqualTo("refused 1 WRONG_OFFSET");
        node.append(1, 0, ABC);
        assertThat(last()).isEqualTo("refused 1 WRONG_OFFSET");
        node.append(1, 3, ABC);
        assertThat(last()).isEqualTo("durable 1 6");
    }

    @Test
    void anAppendThatAsksForItIsToldHowLongItTook() {
        node.appendTimed(1, 0, ABC);

        assertThat(node.heard.get(node.heard.size() - 2)).startsWith("timed 1 3 ");
        assertThat(last()).isEqualTo("durable 1 3");
    }

    @Test
    void anUnknownExtentBeginsAtZeroOnly() {
        node.append(1, 3, ABC);
        assertThat(last()).isEqualTo("refused 1 WRONG_OFFSET");
        node.barrier(1, 3, 77);
        assertThat(last()).isEqualTo("refused 1 WRONG_OFFSET");
        node.barrier(1, 0, 78);
        assertThat(last()).isEqualTo("passed 78");
    }

    @Test
    void aFenceIsIdempotentAndEndsTheExtent() throws IOException {
        node.append(1, 0, ABC);
        for (int i = 0; i < 3; i++) {
            assertThat(node.fence(1)).isEqualTo(new LengthAnswer(ExtentStatus.OK, 3));
            node.append(1, 3, ABC);
            assertThat(last()).isEqualTo("refused 1 FENCED");
            node.barrier(1, 3, 5);
            assertThat(last()).isEqualTo("refused 1 FENCED");
            node = new DirectNode(node.disk, LIMITS);
        }
    }

    @Test
    void aFenceOfAnUnknownExtentCreatesItEnded() throws IOException {
        assertThat(node.fence(5)).isEqualTo(new LengthAnswer(ExtentStatus.OK, 0));

        node = new DirectNode(node.disk, LIMITS);
        node.append(5, 0, ABC);

        assertThat(last()).isEqualTo("refused 5 FENCED");
    }

    @Test
    void aDroppedExtentIsRefusedForeverEvenIfItNeverExisted() throws IOException {
        node.append(1, 0, ABC);
        node.link.drop(DirectNode.ID, List.of(1L, 2L, 1L));
        for (int i = 0; i < 3; i++) {
            for (long extent = 1; extent <= 2; extent++) {
                node.append(extent, 0, ABC);
                assertThat(last()).isEqualTo("refused " + extent + " DELETED");
                assertThat(node.fence(extent).status()).isEqualTo(ExtentStatus.DELETED);
                assertThat(node.read(extent, 0, 1, ExtentPlace.OPEN).status()).isEqualTo(ExtentStatus.DELETED);
                assertThat(node.visible(extent).status()).isEqualTo(ExtentStatus.DELETED);
            }
            node = new DirectNode(node.disk, LIMITS);
        }
    }

    @Test
    void aSealedLengthThatTheDiskDoesNotHaveIsDamage() {
        node.append(1, 0, ABC);

        assertThat(node.read(1, 0, 10, 4).status()).isEqualTo(ExtentStatus.DAMAGED);
        assertThat(node.read(2, 0, 10, 4).status()).isEqualTo(ExtentStatus.DAMAGED);
        assertThat(node.read(1, 0, 10, 3).bytes()).isEqualTo(ABC);
    }

    @Test
    void callsForAnotherNodeAnswerWrongNode() {
        assertThat(node.link
                        .fence("other", List.of(1L))
                        .getNow(List.of())
                        .get(0)
                        .status())
                .isEqualTo(ExtentStatus.WRONG_NODE);
        assertThat(node.link.drop("other", List.of(1L)).getNow(ExtentStatus.OK)).isEqualTo(ExtentStatus.WRONG_NODE);
        assertThat(node.link.lookUp("other", List.of("f"))).isCompletedExceptionally();
        assertThat(node.link.names("other", List.of())).isCompletedExceptionally();
        assertThat(node.link.list("other", "", "", 1)).isCompletedExceptionally();
    }

    @Test
    void anAnswerThatShowsAChangeWaitsUntilTheChangeIsDurable() {
        node.append(1, 0, ABC);
        node.holdCommits();
        node.append(1, 3, ABC);
        var fence = node.link.fence(DirectNode.ID, List.of(1L));
        var fenceAgain = node.link.fence(DirectNode.ID, List.of(1L));
        var names = node.link.names(DirectNode.ID, List.of(new NamesCommand.MarkSealing("f")));
        var lookUp = node.link.lookUp(DirectNode.ID, List.of("f"));
        var list = node.link.list(DirectNode.ID, "", "", 10);
        var drop = node.link.drop(DirectNode.ID, List.of(2L));
        var fenceOfDropped = node.link.fence(DirectNode.ID, List.of(2L));
        List<CompletableFuture<?>> all = List.of(fence, fenceAgain, names, lookUp, list, drop, fenceOfDropped);

        assertThat(all).noneMatch(CompletableFuture::isDone);
        assertThat(last()).isEqualTo("durable 1 3");
        node.releaseCommits();

        assertThat(all).allMatch(CompletableFuture::isDone);
        assertThat(fence).isCompletedWithValue(List.of(new LengthAnswer(ExtentStatus.OK, 6)));
        assertThat(last()).isEqualTo("durable 1 6");
    }

    @Test
    void aFileIsSealedInOneStep() {
        NamesAnswer created = names(new NamesCommand.CreateFile("f", 1));
        long extent = Objects.requireNonNull(created.file()).last().id();
        node.append(extent, 0, ABC);
        node.holdCommits();
        node.append(extent, 3, ABC);
        var sealed = node.link.names(DirectNode.ID, List.of(new NamesCommand.MarkSealing("f")));
        assertThat(sealed).isNotDone();
        node.releaseCommits();
        NamesAnswer answer = sealed.join().get(0);
        assertThat(answer.outcome()).isEqualTo(NamesAnswer.Outcome.SEALED);
        assertThat(Objects.requireNonNull(answer.file()).sealedLength()).isEqualTo(6);
        node.append(extent, 6, ABC);
        assertThat(last()).isEqualTo("refused " + extent + " FENCED");
    }

    @Test
    void aFileWithALargeAppendUnderWayIsOnlyMarked() {
        names(new NamesCommand.CreateFile("f", 1));
        node.holdWork();
        node.append(1, 0, ByteString.copyFrom(new byte[5_000]));
        assertThat(names(new NamesCommand.MarkSealing("f")).outcome()).isEqualTo(NamesAnswer.Outcome.SEALING);
        var fence = node.link.fence(DirectNode.ID, List.of(1L));
        node.append(1, 5_000, ABC);
        node.releaseWork();

        assertThat(fence).isCompletedWithValue(List.of(new LengthAnswer(ExtentStatus.OK, 5_000)));
        assertThat(names(new NamesCommand.MarkSealing("f")).outcome()).isEqualTo(NamesAnswer.Outcome.SEALED);
    }

    /** Clients of earlier versions went on in another extent after each fault. */
    @Test
    void aFileOfSeveralExtentsIsReadSealedAndDeletedAsOne() throws IOException {
        names(new NamesCommand.CreateFile("f", 1));
        node.append(1, 0, ABC);
        node.fence(1);
        assertThat(names(new NamesCommand.AddExtent("f", 1, 3)).outcome()).isEqualTo(NamesAnswer.Outcome.DONE);
        node.append(2, 0, ABC);
        try (Dfs dfs = client()) {
            assertThat(dfs.read("f", 0, 100).join()).isEqualTo(ABC.concat(ABC));
            assertThat(dfs.stat("f").join()).isEqualTo(new Dfs.FileInfo("f", 6, false));
            assertThat(dfs.list("").join()).containsExactly(new Dfs.FileInfo("f", 6, false));
            assertThat(dfs.seal("f").join()).isEqualTo(6);
        }

        node = new DirectNode(node.disk, LIMITS);

        try (Dfs dfs = client()) {
            assertThat(dfs.read("f", 2, 2).join()).isEqualTo(ByteString.copyFromUtf8("ca"));
            assertThat(dfs.stat("f").join()).isEqualTo(new Dfs.FileInfo("f", 6, true));
            dfs.delete("f").join();
        }
        assertThat(node.fence(1).status()).isEqualTo(ExtentStatus.DELETED);
        assertThat(node.fence(2).status()).isEqualTo(ExtentStatus.DELETED);
    }

    private Dfs client() {
        CombiningLoop loop = new CombiningLoop("client", fault -> {
            throw new AssertionError(fault);
        });
        long second = 1_000_000_000;
        ClientLimits limits = new ClientLimits(30 * second, second, second, Long.MAX_VALUE, 1 << 20);
        return StreamClient.of(
                limits,
                new StreamClient.Outside(
                        loop, node.link, new Random(1), new DfsMetrics(new CollectorRegistry()), loop::stopTimers));
    }

    private NamesAnswer names(NamesCommand command) {
        return node.link.names(DirectNode.ID, List.of(command)).join().get(0);
    }

    @Test
    void barriersPassWhileAGroupIsBeingSynced() {
        node.holdCommits();
        node.append(1, 0, ABC);
        node.barrier(1, 3, 7);
        assertThat(last()).isEqualTo("passed 7");

        node.link.fence(DirectNode.ID, List.of(1L));
        node.barrier(1, 3, 8);
        assertThat(last()).isEqualTo("refused 1 FENCED");
    }

    @Test
    void aLargeAppendBehindACheckpointKeepsItsChecksums() throws IOException {
        NodeLimits small = new NodeLimits(4_000, 4_000);
        node = new DirectNode(new ForgetfulDisk(), small);
        ByteString first = ByteString.copyFrom(new byte[3_999]);
        ByteString large = ByteString.copyFrom(new byte[30_000]);
        node.holdCommits();
        node.append(1, 0, first); // Fills the segment: a checkpoint with 3,999 bytes of the first block is captured.
        node.append(1, 3_999, large); // Makes that block whole.
        node.releaseCommits();
        node.fence(1);

        node = new DirectNode(node.disk, small);

        assertThat(node.read(1, 0, 50_000, 33_999).bytes()).isEqualTo(first.concat(large));
    }

    @Test
    void commitsWaitWhileTooManyBytesAreNotInTheFiles() throws IOException {
        NodeLimits limits = new NodeLimits(1 << 20, 4_000, 1 << 20, 3 * 16 * 1024, SpaceMarks.NONE);
        node = new DirectNode(new ForgetfulDisk(), limits);
        ByteString piece = ByteString.copyFrom(new byte[2_048]);
        node.holdWork();
        for (int i = 0; i < 100; i++) {
            node.append(1, i * 2_048L, piece);
        }
        assertThat(last()).as("three blocks are whole, and not written").isEqualTo("durable 1 47104");
        node.releaseWork();
        assertThat(last()).isEqualTo("durable 1 204800");
    }

    @Test
    void whileACheckpointIsWrittenTheNextOneWaitsAndTheJournalGrows() throws IOException {
        node = new DirectNode(new ForgetfulDisk(), new NodeLimits(10_000, 4_000));
        node.holdWork();
        for (int i = 0; i < 200; i++) {
            node.append(1, i * 500L, ByteString.copyFrom(new byte[500]));
        }
        assertThat(node.heldCheckpoints()).isOne();
        assertThat(last()).isEqualTo("durable 1 100000");
        assertThat(node.disk.list("journal")).hasSizeGreaterThan(8);

        node.releaseWork();
        node.append(1, 100_000, ByteString.copyFrom(new byte[500]));
        assertThat(node.disk.list("journal")).hasSizeLessThan(4);
    }

    @Test
    void segmentsAreFreedAndEverythingIsStillThere() throws IOException {
        NodeLimits small = new NodeLimits(10_000, 4_000);
        node = new DirectNode(new ForgetfulDisk(), small);
        for (int round = 0; round < 200; round++) {
            for (int extent = 1; extent <= 3; extent++) {
                node.append(extent, round * 500L, ByteString.copyFrom(new byte[500]));
            }
        }
        node.fence(2);

        assertThat(node.disk.list("journal")).hasSizeLessThan(4);
        node = new DirectNode(node.disk, small);
        for (int extent = 1; extent <= 3; extent++) {
            assertThat(node.fence(extent)).isEqualTo(new LengthAnswer(ExtentStatus.OK, 100_000));
            assertThat(node.read(extent, 0, 200_000, 100_000).bytes())
                    .isEqualTo(ByteString.copyFrom(new byte[100_000]));
        }
    }

    @Test
    void aSegmentThatEndsWhileTheNextGroupFormsIsNotFreedWithThatGroupsRecords() throws IOException {
        NodeLimits limits = new NodeLimits(600_000, 400_000);
        ByteString piece = ByteString.copyFrom(new byte[300_000]);
        node = new DirectNode(new ForgetfulDisk(), limits);
        node.holdCommits();
        node.append(2, 0, ABC); // On its way: what follows fills a group that is closed, and a part of the next one.
        for (int i = 0; i < 4; i++) {
            node.append(1, i * 300_000L, piece);
        }
        node.releaseCommits();
        assertThat(last()).isEqualTo("durable 1 1200000");

        node = new DirectNode(node.disk, limits);

        assertThat(node.fence(1)).isEqualTo(new LengthAnswer(ExtentStatus.OK, 1_200_000));
        assertThat(node.fence(2)).isEqualTo(new LengthAnswer(ExtentStatus.OK, 3));
    }

    @Test
    void aSegmentThatCouldNotBeFreedWhenItEndedIsFreedSoon() throws IOException {
        NodeLimits limits = new NodeLimits(600_000, 400_000);
        node = new DirectNode(new ForgetfulDisk(), limits);
        node.holdCommits();
        for (int i = 0; i < 8; i++) {
            node.append(1, i * 300_000L, ByteString.copyFrom(new byte[300_000]));
        }
        node.releaseCommits();
        node.append(2, 0, ABC);
        node.append(2, 3, ABC);
        assertThat(node.disk.list("journal")).hasSizeLessThan(3);

        node = new DirectNode(node.disk, limits);

        assertThat(node.fence(1)).isEqualTo(new LengthAnswer(ExtentStatus.OK, 2_400_000));
        assertThat(node.fence(2)).isEqualTo(new LengthAnswer(ExtentStatus.OK, 6));
    }
}
