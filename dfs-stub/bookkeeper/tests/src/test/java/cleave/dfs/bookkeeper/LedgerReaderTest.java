package cleave.dfs.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.dfs.bookkeeper.LedgerReader.View;
import com.google.protobuf.ByteString;
import io.netty.buffer.Unpooled;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.apache.bookkeeper.client.api.LedgerEntries;
import org.apache.bookkeeper.client.api.LedgerEntry;
import org.apache.bookkeeper.client.api.ReadHandle;
import org.apache.bookkeeper.client.impl.LedgerEntriesImpl;
import org.apache.bookkeeper.client.impl.LedgerEntryImpl;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Checks how much a reader requests from the bookies, which are a list of sizes here. */
final class LedgerReaderTest {
    private static final long LEDGER = 7;
    private static final int MIB = 1 << 20;

    private long[] ends = {};
    private int reads;
    private long entriesRead;
    private long bytesRead;
    private long mostBytesAtOnce;

    private final ReadBudget budget = new ReadBudget(16 * MIB, Long.MAX_VALUE, () -> 0);
    /** Null: reads are answered at once. */
    private @Nullable List<Runnable> held;

    private LedgerReader ledgerOf(int... sizes) {
        ends = new long[sizes.length];
        long end = 0;
        for (int i = 0; i < sizes.length; i++) {
            end += sizes[i];
            ends[i] = end;
        }
        return new LedgerReader(
                "log",
                (ReadHandle) Proxy.newProxyInstance(
                        ReadHandle.class.getClassLoader(),
                        new Class<?>[] {ReadHandle.class},
                        (proxy, method, arguments) -> {
                            assertThat(method.getName()).isEqualTo("readAsync");
                            long first = (long) arguments[0];
                            long last = (long) arguments[1];
                            if (held == null) {
                                return CompletableFuture.completedFuture(entries(first, last));
                            }
                            CompletableFuture<LedgerEntries> answer = new CompletableFuture<>();
                            held.add(() -> answer.complete(entries(first, last)));
                            return answer;
                        }),
                budget);
    }

    private long start(long entry) {
        return entry == 0 ? 0 : ends[(int) entry - 1];
    }

    private LedgerEntries entries(long first, long last) {
        reads++;
        entriesRead += last - first + 1;
        bytesRead += ends[(int) last] - start(first);
        mostBytesAtOnce = Math.max(mostBytesAtOnce, ends[(int) last] - start(first));
        List<LedgerEntry> found = new ArrayList<>();
        for (long id = first; id <= last; id++) {
            byte[] bytes = bytes(start(id), ends[(int) id]);
            found.add(LedgerEntryImpl.create(LEDGER, id, ends[(int) id], Unpooled.wrappedBuffer(bytes)));
        }
        return LedgerEntriesImpl.create(found);
    }

    /** The contents of the file. */
    private static byte[] bytes(long from, long until) {
        byte[] bytes = new byte[(int) (until - from)];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (((from + i) * 0x9E3779B97F4A7C15L) >>> 56);
        }
        return bytes;
    }

    private View all() {
        return new View(ends[ends.length - 1], ends.length - 1, true);
    }

    private void assertReads(LedgerReader reader, long offset, int length) {
        ByteString read = reader.read(all(), offset, length).join();
        long until = Math.min(ends[ends.length - 1], offset + length);
        assertThat(read.equals(ByteString.copyFrom(bytes(offset, until))))
                .as("%s bytes at %s of %s", length, offset, ends[ends.length - 1])
                .isTrue();
    }

    @Test
    void whatStandsBehindAGreatManyBarriersIsFoundInAFewReads() {
        int barriers = 1_000_000;
        int[] sizes = new int[2 * barriers + 2];
        sizes[barriers] = 100;
        sizes[2 * barriers + 1] = 50;
        LedgerReader reader = ledgerOf(sizes);

        assertReads(reader, 0, 256 << 10);

        assertThat(reads).isLessThan(100);
        assertThat(entriesRead).isLessThan(3_000);

        reads = 0;
        assertReads(reader, 0, 100);
        assertReads(reader, 100, 50);
        assertThat(reads).as("what is known is not looked at again").isLessThan(10);
    }

    @Test
    void whatIsReadInSequenceIsFoundWithoutASearch() {
        int[] sizes = new int[64 << 10];
        java.util.Arrays.fill(sizes, 1_000);
        LedgerReader reader = ledgerOf(sizes);
        int piece = 256 << 10;

        for (long at = 0; at < ends[ends.length - 1]; at += piece) {
            assertReads(reader, at, piece);
        }

        long pieces = ends[ends.length - 1] / piece + 1;
        assertThat((long) reads).isLessThan(3 * pieces);
        assertThat(entriesRead).isLessThan(2L * sizes.length);
    }

    /** The entries are those of a checkpoint. */
    @Test
    void ofEntriesAsLargeAsPiecesHardlyMoreIsReadThanIsAskedFor() {
        int[] sizes = new int[65];
        java.util.Arrays.fill(sizes, MIB);
        sizes[64] = 100_000;
        LedgerReader reader = ledgerOf(sizes);

        for (int entry = 0; entry < sizes.length; entry++) {
            assertReads(reader, (long) entry * MIB, MIB);
        }
        assertThat(entriesRead).isLessThan(70);

        entriesRead = 0;
        LedgerReader other = ledgerOf(sizes);
        for (int entry = 60; entry >= 0; entry -= 4) {
            assertReads(other, (long) entry * MIB, 4 * MIB);
        }
        assertThat(entriesRead).as("from behind, so that each is searched for").isLessThan(2 * 65);
    }

    /** The entries are those of a log that was filled with large transactions and then written to by many clients. */
    @Test
    void ofALogWhoseEntriesDifferMuchAtMostTwiceAsMuchIsReadAsIsAskedFor() {
        int[] sizes = new int[12 + 1_000];
        java.util.Arrays.fill(sizes, 300);
        java.util.Arrays.fill(sizes, 0, 12, MIB);
        LedgerReader reader = ledgerOf(sizes);
        for (long at = 0; at < ends[ends.length - 1]; at += 2 * MIB) {
            assertReads(reader, at, 2 * MIB);
        }
        assertThat(bytesRead).isLessThanOrEqualTo(2 * ends[ends.length - 1]);
    }

    @Test
    void readsThatBeginInsideOfEntriesGetHardlyMoreThanTheyAskFor() {
        int[] sizes = new int[40];
        java.util.Arrays.fill(sizes, 700 << 10);
        LedgerReader reader = ledgerOf(sizes);
        int count = 0;
        for (long at = 0; at < ends[ends.length - 1]; at += 2 * MIB) {
            assertReads(reader, at, 2 * MIB);
            count++;
        }
        // Each once, those in which a read ends twice, and now and then one too many.
        assertThat(entriesRead).isLessThanOrEqualTo(40 + count + count / 2);
    }

    @Test
    void aWindowThatWasNearlyEnoughIsNotFollowedByOneOfTwiceAsMany() {
        int[] sizes = new int[64];
        java.util.Arrays.fill(sizes, 330 << 10);
        LedgerReader reader = ledgerOf(sizes);
        assertReads(reader, 0, 2 * MIB);
        assertThat(entriesRead).isLessThanOrEqualTo(8);
    }

    @Test
    void readersOfOneProcessShareItsBudget() {
        int[] sizes = new int[64];
        java.util.Arrays.fill(sizes, MIB);
        List<Runnable> answers = new ArrayList<>();
        held = answers;
        List<CompletableFuture<ByteString>> reads = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            reads.add(ledgerOf(sizes).read(all(), 0, MIB));
        }
        assertThat(answers).hasSize(16);
        for (int i = 0; i < answers.size(); i++) {
            answers.get(i).run();
            assertThat(answers.size() - i - 1).as("under way").isLessThanOrEqualTo(16);
        }
        assertThat(reads).allMatch(read -> read.join().size() == MIB);
    }

    @Test
    void aReadHasNoMoreUnderWayThanAWindowHoldsHoweverUnevenTheEntries() {
        int[] sizes = new int[20_000];
        for (int i = 10_000; i < 10_064; i++) {
            sizes[i] = MIB;
        }
        for (int i = 10_064; i < sizes.length; i += 5) {
            sizes[i] = 10;
        }
        LedgerReader reader = ledgerOf(sizes);

        assertReads(reader, 0, 64 * MIB + 20_000);

        assertThat(mostBytesAtOnce).isLessThanOrEqualTo(LedgerReader.WINDOW_BYTES);
        assertThat(reads).isLessThan(300);
    }

    @Test
    void allBytesAreFoundWhateverTheEntriesAreLike() {
        for (int seed = 0; seed < 100; seed++) {
            Random random = new Random(seed);
            int[] sizes = new int[1 + random.nextInt(2_000)];
            int kind = random.nextInt(1_000);
            for (int i = 0; i < sizes.length; i++) {
                kind = random.nextInt(50) == 0 ? random.nextInt(1_000) : kind;
                sizes[i] = kind < 500 ? 0 : kind < 999 ? random.nextInt(300) : random.nextInt(MIB);
            }
            LedgerReader reader = ledgerOf(sizes);
            for (int i = 0; i < 20; i++) {
                long offset = random.nextInt(1 + (int) Math.min(ends[ends.length - 1], Integer.MAX_VALUE - 1));
                assertReads(reader, offset, random.nextInt(1 << random.nextInt(24)));
            }
            assertThat(mostBytesAtOnce).isLessThanOrEqualTo(LedgerReader.WINDOW_BYTES);
        }
    }
}
