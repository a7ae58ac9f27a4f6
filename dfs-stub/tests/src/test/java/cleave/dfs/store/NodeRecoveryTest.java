package cleave.dfs.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.dfs.link.ExtentStatus;
import cleave.dfs.link.NodeLink.LengthAnswer;
import cleave.dfs.node.JournalFormat;
import cleave.dfs.node.NodeLimits;
import cleave.dfs.state.NamesAnswer;
import cleave.dfs.state.NamesAnswer.Outcome;
import cleave.dfs.state.NamesCommand;
import cleave.model.UnknownFormat;
import cleave.wire.NodeCheckpoint;
import com.google.protobuf.ByteString;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Recovery from a journal that was cut, emptied or changed, at every byte. */
final class NodeRecoveryTest {
    private static final NodeLimits LIMITS = new NodeLimits(1 << 20, 4_000);
    private static final String SEGMENT = JournalFiles.name(1);
    private static final int EXTENTS = 4;

    /** A journal of some groups, and what was durable after each. */
    private static final class Written {
        final DirectNode node = new DirectNode(new ForgetfulDisk(), LIMITS);
        final List<Integer> ends = new ArrayList<>();
        final List<long[]> lengths = new ArrayList<>();
        final ByteString[] contents = new ByteString[EXTENTS + 1];

        Written() throws IOException {
            Random random = new Random(5);
            Arrays.fill(contents, ByteString.EMPTY);
            for (int i = 0; i < 14; i++) {
                int extent = 1 + i % EXTENTS;
                byte[] bytes = new byte[1 + random.nextInt(40) + (i == 5 ? 5_000 : 0)];
                random.nextBytes(bytes);
                node.append(extent, contents[extent].size(), ByteString.copyFrom(bytes));
                contents[extent] = contents[extent].concat(ByteString.copyFrom(bytes));
                ends.add(journal().length);
                lengths.add(Arrays.stream(contents).mapToLong(ByteString::size).toArray());
            }
        }

        byte[] journal() throws IOException {
            return DirectNode.bytes(node.disk, SEGMENT);
        }

        DirectNode recovered(byte[] journal) throws IOException {
            ForgetfulDisk copy = DirectNode.copy(node.disk);
            DirectNode.put(copy, SEGMENT, journal);
            return new DirectNode(copy, LIMITS);
        }

        /** The state that was durable when the journal had this many bytes. */
        long[] lengthsAt(int bytes) {
            long[] found = new long[EXTENTS + 1];
            for (int i = 0; i < ends.size() && ends.get(i) <= bytes; i++) {
                found = lengths.get(i);
            }
            return found;
        }

        void assertHas(DirectNode recovered, long[] expected) {
            for (int extent = 1; extent <= EXTENTS; extent++) {
                assertThat(recovered.fence(extent)).isEqualTo(new LengthAnswer(ExtentStatus.OK, expected[extent]));
                assertThat(recovered.read(extent, 0, 1 << 20, expected[extent]).bytes())
                        .isEqualTo(contents[extent].substring(0, (int) expected[extent]));
            }
        }
    }

    @Test
    void aJournalCutAnywhereGivesTheGroupsBeforeTheCut() throws IOException {
        Written written = new Written();
        byte[] journal = written.journal();
        for (int cut = 0; cut <= journal.length; cut++) {
            DirectNode recovered = written.recovered(Arrays.copyOf(journal, cut));
            written.assertHas(recovered, written.lengthsAt(cut));
        }
    }

    @Test
    void aJournalThatEndsInZerosGivesTheGroupsBeforeThem() throws IOException {
        Written written = new Written();
        byte[] journal = written.journal();
        int lastBegin = written.ends.get(written.ends.size() - 2);
        for (int from = lastBegin; from <= journal.length; from++) {
            byte[] zeroed = Arrays.copyOf(Arrays.copyOf(journal, from), journal.length + 1_000);
            // A zero that was a zero before is no loss.
            boolean whole = Arrays.equals(zeroed, 0, journal.length, journal, 0, journal.length);
            written.assertHas(written.recovered(zeroed), written.lengthsAt(whole ? journal.length : lastBegin));
        }
    }

    @Test
    void aChangedByteInTheLastGroupCutsIt() throws IOException {
        Written written = new Written();
        byte[] journal = written.journal();
        int lastBegin = written.ends.get(written.ends.size() - 2);
        for (int at = lastBegin; at < journal.length; at++) {
            byte[] changed = journal.clone();
            changed[at] ^= 0x41;
            written.assertHas(written.recovered(changed), written.lengthsAt(lastBegin));
        }
    }

    @Test
    void aChangedByteInTheMiddleNeverGivesAWrongLength() throws IOException {
        Written written = new Written();
        byte[] journal = written.journal();
        int lastBegin = written.ends.get(written.ends.size() - 2);
        long[] right = written.lengthsAt(journal.length);
        int damaged = 0;
        int refused = 0;
        for (int at = 0; at < lastBegin; at++) {
            byte[] changed = journal.clone();
            changed[at] ^= 0x41;
            try {
                DirectNode recovered = written.recovered(changed);
                damaged += assertOneIsDamaged(recovered, right);
            } catch (DamagedNodeException doesNotStart) {
                refused++;
            }
        }
        assertThat(damaged).isPositive();
        assertThat(damaged + refused).isEqualTo(lastBegin);
    }

    private static int assertOneIsDamaged(DirectNode recovered, long[] right) {
        int damaged = 0;
        for (int extent = 1; extent <= EXTENTS; extent++) {
            LengthAnswer answer = recovered.fence(extent);
            if (answer.status() == ExtentStatus.DAMAGED) {
                damaged++;
                recovered.append(extent, right[extent], ByteString.copyFromUtf8("x"));
                assertThat(recovered.heard).last().isEqualTo("refused " + extent + " DAMAGED");
                assertThat(recovered.read(extent, 0, 10, right[extent]).status())
                        .isEqualTo(ExtentStatus.DAMAGED);
            } else {
                assertThat(answer).isEqualTo(new LengthAnswer(ExtentStatus.OK, right[extent]));
            }
        }
        assertThat(damaged).isEqualTo(1);
        return damaged;
    }

    @Test
    void damageStaysOverRestartsAndCheckpoints() throws IOException {
        Written written = new Written();
        byte[] changed = written.journal();
        changed[written.ends.get(1) + 60] ^= 1; // In the body of the third group: extent 3.
        DirectNode recovered = written.recovered(changed);
        assertThat(recovered.fence(3).status()).isEqualTo(ExtentStatus.DAMAGED);

        NodeLimits small = new NodeLimits(4_000, 4_000);
        DirectNode again = new DirectNode(recovered.disk, small);
        for (int i = 0; i < 20; i++) {
            again.append(9, i * 1_000L, ByteString.copyFrom(new byte[1_000]));
        }
        assertThat(recovered.disk.exists(SEGMENT)).isFalse();
        DirectNode last = new DirectNode(recovered.disk, small);

        assertThat(last.fence(3).status()).isEqualTo(ExtentStatus.DAMAGED);
        assertThat(last.fence(9)).isEqualTo(new LengthAnswer(ExtentStatus.OK, 20_000));
    }

    @Test
    void aMissingSegmentKeepsTheNodeFromStarting() throws IOException {
        Written written = new Written();
        new DirectNode(written.node.disk, LIMITS).append(9, 0, ByteString.copyFromUtf8("x"));
        new DirectNode(written.node.disk, LIMITS).append(9, 1, ByteString.copyFromUtf8("y"));
        written.node.disk.delete(JournalFiles.name(2));

        assertThatThrownBy(() -> new DirectNode(written.node.disk, LIMITS)).isInstanceOf(DamagedNodeException.class);
    }

    @Test
    void aChangedCheckpointKeepsTheNodeFromStarting() throws IOException {
        NodeLimits small = new NodeLimits(4_000, 4_000);
        DirectNode node = new DirectNode(new ForgetfulDisk(), small);
        for (int i = 0; i < 20; i++) {
            node.append(9, i * 1_000L, ByteString.copyFrom(new byte[1_000]));
        }
        byte[] checkpoint = DirectNode.bytes(node.disk, CheckpointFile.NAME);
        for (int at = 0; at < checkpoint.length; at++) {
            byte[] changed = checkpoint.clone();
            changed[at] ^= 4;
            ForgetfulDisk copy = DirectNode.copy(node.disk);
            DirectNode.put(copy, CheckpointFile.NAME, changed);
            assertThatThrownBy(() -> new DirectNode(copy, small))
                    .isInstanceOfAny(DamagedNodeException.class, UnknownFormat.class);
        }
    }

    /** Its form before there were parts: 8 bytes that say so, length, checksum, and all in one message. */
    private static byte[] firstFormat(NodeCheckpoint content) {
        byte[] bytes = content.toByteArray();
        ByteBuffer file = ByteBuffer.allocate(16 + bytes.length);
        file.putLong(0x434c5643484b_0001L).putInt(bytes.length);
        return file.putInt(JournalFormat.checksum(ByteBuffer.wrap(bytes)))
                .put(bytes)
                .array();
    }

    @Test
    void aCheckpointOfTheFirstFormatIsReadAndItsDeletedPathsAreFolded() throws IOException {
        NodeCheckpoint.Builder old = NodeCheckpoint.newBuilder().setSegment(1);
        old.getNamesBuilder().setNextExtent(70_000).addDeleted("f");
        for (int i = 1; i <= 50_000; i++) {
            old.getNamesBuilder().addDeleted("ranges/17.0/42-s1.9-log-" + i);
        }
        ForgetfulDisk disk = new ForgetfulDisk();
        DirectNode.put(disk, CheckpointFile.NAME, firstFormat(old.build()));
        DirectNode node = new DirectNode(disk, new NodeLimits(4_000, 4_000));

        for (int i = 0; i < 20; i++) {
            node.append(9, i * 1_000L, ByteString.copyFrom(new byte[1_000]));
        }
        assertThat(DirectNode.bytes(disk, CheckpointFile.NAME)).hasSizeLessThan(300);
        DirectNode again = new DirectNode(disk, LIMITS);
        for (String path : List.of("f", "ranges/17.0/42-s1.9-log-1", "ranges/17.0/42-s1.9-log-50000")) {
            assertThat(again.link
                            .names(DirectNode.ID, List.of(new NamesCommand.MarkSealing(path)))
                            .getNow(List.of())
                            .get(0)
                            .outcome())
                    .isEqualTo(Outcome.DELETED);
        }
    }

    @Test
    void aCheckpointOfALaterFormatIsRefused() throws IOException {
        ForgetfulDisk disk = new ForgetfulDisk();
        DirectNode.put(
                disk,
                CheckpointFile.NAME,
                ByteBuffer.allocate(100).putLong(0x434c5643484b_0003L).array());

        assertThatThrownBy(() -> new DirectNode(disk, LIMITS))
                .isInstanceOf(UnknownFormat.class)
                .hasMessageContaining("format 3");
    }

    @Test
    void aLargeCheckpointIsReadPartByPart() throws IOException {
        NodeLimits small = new NodeLimits(200_000, 4_000);
        DirectNode node = new DirectNode(new ForgetfulDisk(), small);
        for (int i = 0; i < 5_000; i++) {
            NamesCommand create = new NamesCommand.CreateFile("f/" + i, 1);
            node.link.names(DirectNode.ID, List.of(create)).join();
            node.append(i + 1, 0, ByteString.copyFromUtf8("x"));
        }
        assertThat(DirectNode.bytes(node.disk, CheckpointFile.NAME)).hasSizeGreaterThan(200_000);
        byte[] before = DirectNode.bytes(node.disk, CheckpointFile.NAME);
        assertThatThrownBy(() -> {
                    ForgetfulDisk cut = DirectNode.copy(node.disk);
                    DirectNode.put(cut, CheckpointFile.NAME, java.util.Arrays.copyOf(before, before.length - 8));
                    new DirectNode(cut, small);
                })
                .isInstanceOf(DamagedNodeException.class);

        DirectNode again = new DirectNode(node.disk, small);

        assertThat(again.link.list(DirectNode.ID, "f/", "", 10_000).join().files())
                .hasSize(5_000);
        assertThat(again.fence(4_321)).isEqualTo(new LengthAnswer(ExtentStatus.OK, 1));
    }

    @Test
    void aChangedByteInAnExtentsFileIsSeenByReaders() throws IOException {
        NodeLimits small = new NodeLimits(4_000, 4_000);
        DirectNode node = new DirectNode(new ForgetfulDisk(), small);
        byte[] bytes = new byte[50_000];
        new Random(1).nextBytes(bytes);
        node.append(7, 0, ByteString.copyFrom(bytes));
        node.fence(7);
        for (int i = 0; i < 20; i++) {
            node.append(9, i * 1_000L, ByteString.copyFrom(new byte[1_000]));
        }
        byte[] file = DirectNode.bytes(node.disk, "extents/7");
        for (int at = 0; at < file.length; at += 97) {
            byte[] changed = file.clone();
            changed[at] ^= 4;
            ForgetfulDisk copy = DirectNode.copy(node.disk);
            DirectNode.put(copy, "extents/7", changed);
            DirectNode recovered = new DirectNode(copy, small);
            assertThat(recovered.read(7, 0, 50_000, 50_000).status()).isEqualTo(ExtentStatus.DAMAGED);
            assertThat(recovered.read(9, 0, 50_000, -1).bytes().size()).isEqualTo(20_000);
        }
    }

    @Test
    void anInterruptedDeleteIsFinishedAtTheStart() throws IOException {
        DirectNode node = new DirectNode(new ForgetfulDisk(), LIMITS);
        node.link.names(DirectNode.ID, List.of(new NamesCommand.CreateFile("f", 1)));
        node.append(1, 0, ByteString.copyFrom(new byte[5_000]));
        node.link.names(DirectNode.ID, List.of(new NamesCommand.DeleteFile("f")));
        assertThat(node.disk.exists("extents/1")).isTrue();

        DirectNode again = new DirectNode(node.disk, LIMITS);

        assertThat(again.disk.exists("extents/1")).isFalse();
        assertThat(again.fence(1).status()).isEqualTo(ExtentStatus.DELETED);
        assertThat(again.link
                        .lookUp(DirectNode.ID, List.of("f"))
                        .getNow(List.of())
                        .get(0)
                        .outcome())
                .isEqualTo(NamesAnswer.Outcome.DELETED);
    }

    @Test
    void anotherNodesDiskIsRefusedAndAnEmptyOneIsNew() throws IOException {
        ForgetfulDisk disk = new ForgetfulDisk();
        String id = NodeId.readOrMake(disk, "n1", new Random(1));

        assertThat(id).startsWith("n1-");
        assertThat(NodeId.readOrMake(disk, "n1", new Random(2))).isEqualTo(id);
        assertThatThrownBy(() -> NodeId.readOrMake(disk, "n2", new Random(3))).hasMessageContaining("belongs");
        assertThat(NodeId.readOrMake(new ForgetfulDisk(), "n1", new Random(4))).isNotEqualTo(id);
        disk.delete("node");
        DirectNode.put(disk, SEGMENT, new byte[10]);
        assertThatThrownBy(() -> NodeId.readOrMake(disk, "n1", new Random(5))).isInstanceOf(DamagedNodeException.class);
    }

    /** A record that is whole and of a kind that nobody here knows is no torn end: to cut it would lose what was answered. */
    @Test
    void aRecordOfANewerVersionKeepsTheNodeFromStartingAndStays() throws IOException {
        Written written = new Written();
        byte[] journal = written.journal();
        int header = journal.length - JournalFormat.RECORD_HEADER_BYTES - lastBody(journal);
        byte[] newer = withKind(journal, header, 9);
        ForgetfulDisk disk = DirectNode.copy(written.node.disk);
        DirectNode.put(disk, SEGMENT, newer);
        for (int attempt = 1; attempt <= 2; attempt++) {
            assertThatThrownBy(() -> new DirectNode(disk, LIMITS))
                    .isInstanceOf(UnknownFormat.class)
                    .hasMessageContaining("has a record of kind 9; this version of Cleave knows kinds 0 to");
            assertThat(DirectNode.bytes(disk, SEGMENT)).isEqualTo(newer);
        }
        DirectNode.put(disk, SEGMENT, journal);
        written.assertHas(new DirectNode(disk, LIMITS), written.lengthsAt(journal.length));
    }

    private static int lastBody(byte[] journal) {
        int at = JournalFormat.SEGMENT_HEADER_BYTES;
        int length = 0;
        while (at < journal.length) {
            int payload = ByteBuffer.wrap(journal).getInt(at + Integer.BYTES);
            length = ByteBuffer.wrap(journal).getInt(at + JournalFormat.GROUP_HEADER_BYTES + 17);
            at += JournalFormat.GROUP_HEADER_BYTES + payload;
        }
        return length;
    }

    /** The record of the last group, under another kind and with the checksum that belongs to it. */
    private static byte[] withKind(byte[] journal, int header, int kind) {
        byte[] changed = journal.clone();
        ByteBuffer bytes = ByteBuffer.wrap(changed);
        bytes.put(header, (byte) kind);
        long salt = bytes.getLong(2 * Long.BYTES);
        long sequence = bytes.getLong(header - JournalFormat.GROUP_HEADER_BYTES + 2 * Integer.BYTES);
        bytes.putInt(
                header + 25,
                checksum(
                        salt,
                        sequence,
                        0,
                        kind,
                        bytes.getLong(header + 1),
                        bytes.getLong(header + 9),
                        bytes.getInt(header + 17),
                        bytes.getInt(header + 21)));
        return changed;
    }

    private static int checksum(long... values) {
        ByteBuffer all = ByteBuffer.allocate(values.length * Long.BYTES);
        for (long value : values) {
            all.putLong(value);
        }
        return JournalFormat.checksum(all.flip());
    }

    @Test
    void aSegmentOfANewerFormatKeepsTheNodeFromStartingAndStays() throws IOException {
        Written written = new Written();
        byte[] newer = written.journal();
        ByteBuffer bytes = ByteBuffer.wrap(newer);
        bytes.put(Long.BYTES - 1, (byte) 2);
        bytes.putInt(
                3 * Long.BYTES, checksum(bytes.getLong(0), bytes.getLong(Long.BYTES), bytes.getLong(2 * Long.BYTES)));
        ForgetfulDisk disk = DirectNode.copy(written.node.disk);
        for (byte[] left : List.of(newer, Arrays.copyOf(newer, JournalFormat.SEGMENT_HEADER_BYTES))) {
            DirectNode.put(disk, SEGMENT, left);
            assertThatThrownBy(() -> new DirectNode(disk, LIMITS))
                    .isInstanceOf(UnknownFormat.class)
                    .hasMessageContaining("segment 1 of the journal has format 2");
            assertThat(DirectNode.bytes(disk, SEGMENT)).isEqualTo(left);
        }
    }

    @Test
    void aDiskWithAnotherLayoutIsUnknown() throws IOException {
        ForgetfulDisk disk = new ForgetfulDisk();
        DirectNode.put(disk, "node", "layout 2\n".getBytes(StandardCharsets.UTF_8));
        assertThatThrownBy(() -> NodeId.readOrMake(disk, "n1", new Random(1)))
                .isInstanceOf(UnknownFormat.class)
                .hasMessageContaining("the node's disk is of an unknown layout");
        DirectNode.put(disk, "node", new byte[0]);
        assertThatThrownBy(() -> NodeId.readOrMake(disk, "n1", new Random(1))).isInstanceOf(DamagedNodeException.class);
    }
}
