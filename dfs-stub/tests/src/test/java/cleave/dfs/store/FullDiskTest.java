package cleave.dfs.store;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.dfs.Dfs.Space;
import cleave.dfs.DfsFile.Purpose;
import cleave.dfs.link.ExtentStatus;
import cleave.dfs.link.NodeLink.LengthAnswer;
import cleave.dfs.node.NodeLimits;
import cleave.dfs.node.SpaceMarks;
import cleave.dfs.state.NamesAnswer.Outcome;
import cleave.dfs.state.NamesCommand;
import com.google.protobuf.ByteString;
import java.io.IOException;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A node while its disk fills up, is full, and has room again. */
final class FullDiskTest {
    private static final SpaceMarks MARKS = new SpaceMarks(1 << 20, 512 << 10);
    private static final ByteString KILOBYTE = ByteString.copyFrom(new byte[1_000]);

    private final ForgetfulDisk disk = new ForgetfulDisk();
    private DirectNode node;

    @BeforeEach
    void start() throws IOException {
        node = new DirectNode(disk, new NodeLimits(100_000, 4_000, MARKS));
    }

    private void free(long bytes) {
        disk.leaveFree(bytes);
        node.measured();
    }

    private long durable(long extent) {
        return node.visible(extent).length();
    }

    @Test
    void aDiskThatIsShortOfSpaceAcceptsAppendsAndReportsIt() {
        free(900 << 10);
        node.append(1, 0, KILOBYTE);

        assertThat(node.link.space().join()).isEqualTo(Space.LOW);
        assertThat(durable(1)).isEqualTo(1_000);

        free((1 << 20) + 1); // Only a little above the mark at which it began.
        assertThat(node.link.space().join()).isEqualTo(Space.LOW);
        free(2 << 20);
        assertThat(node.link.space().join()).isEqualTo(Space.ROOMY);
    }

    @Test
    void onAFullDiskAppendsWaitAndEverythingElseContinues() throws IOException {
        node.append(8, 0, KILOBYTE);
        free(400 << 10);
        node.append(8, 1_000, KILOBYTE);
        node.append(8, 2_000, ByteString.copyFrom(new byte[5_000]));
        node.append(9, 0, KILOBYTE);
        node.barrier(8, 7_000, 77);

        assertThat(node.link.space().join()).isEqualTo(Space.FULL);
        assertThat(durable(8)).isEqualTo(1_000);
        assertThat(durable(9)).isZero();
        assertThat(node.heard).contains("passed 77");
        assertThat(node.read(8, 0, 5_000, -1).bytes()).isEqualTo(KILOBYTE);
        NamesCommand create = new NamesCommand.CreateFile("f", 1);
        assertThat(node.link.names(DirectNode.ID, List.of(create)).join().get(0).outcome())
                .isEqualTo(Outcome.DONE);
        assertThat(node.link
                        .names(DirectNode.ID, List.of(new NamesCommand.DeleteFile("f")))
                        .join()
                        .get(0)
                        .outcome())
                .isEqualTo(Outcome.DONE);

        free(10 << 20);

        assertThat(durable(8)).isEqualTo(7_000);
        assertThat(durable(9)).isEqualTo(1_000);
        assertThat(node.heard).noneMatch(each -> each.startsWith("refused"));
        assertThat(new DirectNode(disk, new NodeLimits(100_000, 4_000)).fence(8))
                .isEqualTo(new LengthAnswer(ExtentStatus.OK, 7_000));
    }

    /** Without it reads would stop as well, though they need no space. */
    @Test
    void onAFullDiskWhatServesRangesIsTakenUntilTheJournalNeedsTheRest() {
        node.append(1, 0, KILOBYTE);
        free(400 << 10);
        node.append(1, 1_000, KILOBYTE); // In a file of its own, so it holds up nothing else.
        List<Long> manifests = LongStream.range(2, 500).boxed().toList();
        manifests.forEach(each -> node.append(each, 0, Purpose.SERVING, KILOBYTE));

        assertThat(durable(1)).isEqualTo(1_000);
        long taken = manifests.stream().mapToLong(this::durable).sum();
        assertThat(taken).isBetween(50_000L, 150_000L);
        assertThat(disk.freeBytes()).isGreaterThan(MARKS.full() / 2 - 5_000);
        assertThat(node.heard).noneMatch(each -> each.startsWith("refused"));

        free(700 << 10); // What waits counts as taken, so it is still full.
        assertThat(node.link.space().join()).isEqualTo(Space.FULL);
        assertThat(durable(1)).isEqualTo(1_000);
        assertThat(manifests.stream().mapToLong(this::durable).sum()).isGreaterThan(taken);

        free(10 << 20);
        assertThat(manifests).allSatisfy(each -> assertThat(durable(each)).isEqualTo(1_000));
        assertThat(durable(1)).isEqualTo(2_000);
    }

    @Test
    void aSealOnAFullDiskCutsOffWhatWaits() {
        node.append(1, 0, KILOBYTE);
        free(400 << 10);
        node.append(1, 1_000, KILOBYTE);

        assertThat(node.fence(1)).isEqualTo(new LengthAnswer(ExtentStatus.OK, 1_000));
        assertThat(node.heard).contains("refused 1 FENCED");

        free(10 << 20);
        assertThat(node.fence(1)).isEqualTo(new LengthAnswer(ExtentStatus.OK, 1_000));
    }

    @Test
    void aDeleteOnAFullDiskRefusesWhatWaits() {
        node.append(1, 0, KILOBYTE);
        free(400 << 10);
        node.append(1, 1_000, KILOBYTE);

        assertThat(node.link.drop(DirectNode.ID, List.of(1L)).join()).isEqualTo(ExtentStatus.OK);
        assertThat(node.heard).contains("refused 1 DELETED");
        assertThat(disk.exists("extents/1")).isFalse();

        free(10 << 20);
        assertThat(node.fence(1).status()).isEqualTo(ExtentStatus.DELETED);
    }

    /** Between two looks at the disk the node counts what it takes. */
    @Test
    void aWriterThatIsFasterThanTheDiskIsMeasuredStillStopsAtTheMark() {
        free(2 << 20);
        for (int i = 0; i < 2_000; i++) {
            node.append(1, i * 1_000L, KILOBYTE);
        }

        assertThat(node.link.space().join()).isEqualTo(Space.FULL);
        assertThat(durable(1)).isBetween(500_000L, 900_000L);
        assertThat(disk.freeBytes()).isGreaterThan(100 << 10);
    }

    /** Space that the journal's bytes still need in their files is not free, whatever the disk says. */
    @Test
    void whatIsOnItsWayToTheDiskCountsAsTaken() {
        node.holdWork();
        for (int i = 0; i < 700; i++) {
            node.append(1, i * 1_000L, KILOBYTE);
        }
        free(1_500_000);

        assertThat(node.link.space().join()).isEqualTo(Space.LOW);
        node.releaseWork();
        free(1_500_000);
        assertThat(node.link.space().join()).isEqualTo(Space.ROOMY);
    }

    /** A large append goes to its file only. */
    @Test
    void nothingCountsTwice() {
        free(2_000_000);
        node.append(1, 0, ByteString.copyFrom(new byte[700_000]));

        assertThat(node.link.space().join()).isEqualTo(Space.ROOMY);
        assertThat(disk.freeBytes()).isBetween(1_200_000L, 1_300_000L);
    }

    /** However fast they are: what is kept for freeing space is not theirs. */
    @Test
    void writesOfClientsNeverFillTheDisk() {
        free(3 << 20);
        long length = 0;
        for (int i = 0; i < 4_000; i++) {
            node.append(1, length, Purpose.WRITE, KILOBYTE);
            length = durable(1);
        }

        assertThat(node.link.space().join()).isEqualTo(Space.LOW);
        assertThat(node.heard).contains("refused 1 NO_SPACE");
        assertThat(disk.freeBytes()).isGreaterThan(MARKS.low() - (MARKS.low() - MARKS.full()) / 2);

        node.append(1, length, KILOBYTE); // What frees space is taken.
        node.append(2, 0, Purpose.CHECKPOINT, ByteString.copyFrom(new byte[5_000]));
        assertThat(durable(1)).isEqualTo(length + 1_000);
        assertThat(durable(2)).isEqualTo(5_000);
    }

    @Test
    void checkpointsLeaveAPartOfTheReserveToWhatFreesSpace() {
        free(900 << 10);
        long length = 0;
        for (int i = 0; i < 500; i++) {
            node.append(1, length, Purpose.CHECKPOINT, ByteString.copyFrom(new byte[5_000]));
            length = durable(1);
        }

        assertThat(node.link.space().join()).isEqualTo(Space.LOW);
        assertThat(node.heard).contains("refused 1 NO_SPACE");
        node.append(2, 0, KILOBYTE);
        assertThat(durable(2)).isEqualTo(1_000);
    }

    @Test
    void whatIsRefusedForLackOfSpaceTouchesNothing() {
        node.append(1, 0, KILOBYTE);
        free(700 << 10);
        node.append(1, 1_000, Purpose.WRITE, KILOBYTE);
        node.append(1, 2_000, KILOBYTE); // Sent behind it, before its end was heard of.
        node.append(2, 0, Purpose.WRITE, KILOBYTE);

        assertThat(node.heard).containsSequence("refused 1 NO_SPACE", "refused 1 WRONG_OFFSET", "refused 2 NO_SPACE");
        assertThat(node.fence(1)).isEqualTo(new LengthAnswer(ExtentStatus.OK, 1_000));
        assertThat(node.fence(2)).isEqualTo(new LengthAnswer(ExtentStatus.OK, 0));
    }

    /** The writer of a checkpoint can do something else; what would free space cannot. */
    @Test
    void aCheckpointThatWaitedBehindALargeAppendIsRefusedIfTheDiskIsFullThen() {
        free(900 << 10);
        node.holdWork();
        node.append(1, 0, Purpose.CHECKPOINT, ByteString.copyFrom(new byte[100_000]));
        node.append(1, 100_000, Purpose.CHECKPOINT, ByteString.copyFrom(new byte[150_000]));
        free(600 << 10); // Others write, too.
        assertThat(node.link.space().join()).isEqualTo(Space.FULL);

        node.releaseWork();

        assertThat(node.heard).contains("refused 1 NO_SPACE");
        assertThat(node.fence(1)).isEqualTo(new LengthAnswer(ExtentStatus.OK, 100_000));
    }

    @Test
    void aFullDiskIsLeftSoonWhenSpaceIsFreed() {
        free(400 << 10);
        assertThat(node.link.space().join()).isEqualTo(Space.FULL);
        free(560 << 10);
        assertThat(node.link.space().join()).isEqualTo(Space.LOW);
    }

    @Test
    void theReserveFitsTheDisk() {
        assertThat(SpaceMarks.of(0, 1L << 30).low()).isEqualTo(256L << 20);
        assertThat(SpaceMarks.of(0, 100L << 20).low()).isEqualTo(25L << 20);
        assertThat(SpaceMarks.of(0, 80L << 30).low()).isEqualTo((80L << 30) / 50);
        assertThat(SpaceMarks.of(0, 10L << 40).low()).isEqualTo(4L << 30);
        assertThat(SpaceMarks.of(7 << 20, 10L << 40).low()).isEqualTo(7 << 20);
    }
}
