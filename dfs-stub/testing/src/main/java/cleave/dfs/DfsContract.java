package cleave.dfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.dfs.Dfs.FileInfo;
import cleave.dfs.DfsException.Reason;
import cleave.dfs.DfsFile.Purpose;
import com.google.protobuf.ByteString;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The contract of {@link Dfs}, as tests that every implementation passes. */
public abstract class DfsContract extends DfsNamesContract {
    @Test
    void appendsAreReadBackInOrder() {
        DfsFile file = get(dfs.create(PATH));

        assertThat(get(file.append(text("hello ")))).isEqualTo(6);
        assertThat(get(file.append(text("world")))).isEqualTo(11);

        assertThat(file.path()).isEqualTo(PATH);
        assertThat(get(dfs.seal(PATH))).isEqualTo(11);
        assertThat(readAll(PATH)).isEqualTo(text("hello world"));
        assertThat(get(dfs.read(PATH, 6, 3))).isEqualTo(text("wor"));
        assertThat(get(dfs.read(PATH, 11, 3))).isEqualTo(ByteString.EMPTY);
        assertThat(get(dfs.read(PATH, 99, 3))).isEqualTo(ByteString.EMPTY);
    }

    @Test
    void aSealEndsAFileForever() {
        DfsFile file = get(dfs.create(PATH));
        get(file.append(text("abc")));

        assertThat(get(dfs.seal(PATH))).isEqualTo(3);
        assertFails(file.barrier(), Reason.SEALED);
        assertFails(file.append(text("d")), Reason.SEALED);
        assertFails(file.append(ByteString.EMPTY), Reason.SEALED);
        assertThat(get(dfs.seal(PATH))).isEqualTo(3);
        assertThat(get(dfs.stat(PATH))).isEqualTo(new FileInfo(PATH, 3, true));
    }

    @Test
    void aBarrierAfterASealFailsAlsoIfNothingWasEverWritten() {
        DfsFile file = get(dfs.create(PATH));

        assertThat(get(dfs.seal(PATH))).isZero();

        assertFails(file.barrier(), Reason.SEALED);
        assertFails(file.append(text("d")), Reason.SEALED);
    }

    @Test
    void aFenceTakesBarriersUntilItIsSealed() {
        DfsFile fence = get(dfs.createFence(PATH));
        assertFails(dfs.createFence(PATH), Reason.EXISTS);
        get(fence.barrier());

        assertThat(get(dfs.seal(PATH))).isZero();

        assertFails(fence.barrier(), Reason.SEALED);
        assertThat(get(dfs.stat(PATH))).isEqualTo(new FileInfo(PATH, 0, true));
    }

    @Test
    void aBarrierPassesWhileTheFileIsOpen() {
        DfsFile file = get(dfs.create(PATH));

        get(file.barrier());
        CompletableFuture<Long> append = file.append(text("abc"));
        get(file.barrier());

        assertThat(get(append)).isEqualTo(3);
        assertThat(get(file.append(ByteString.EMPTY))).isEqualTo(3);
    }

    @Test
    void anotherClientSealsAndReads() throws IOException {
        DfsFile file = get(dfs.create(PATH));
        get(file.append(text("abc")));

        Dfs other = openAnother();

        assertThat(get(other.seal(PATH))).isEqualTo(3);
        assertThat(get(other.read(PATH, 0, 10))).isEqualTo(text("abc"));
        assertFails(file.append(text("d")), Reason.SEALED);
    }

    @Test
    void aStatOfAnOpenFileIsExactForAllClients() throws IOException {
        Dfs other = openAnother();
        DfsFile file = get(dfs.create(PATH));
        ByteString all = ByteString.EMPTY;
        for (int i = 1; i <= 5; i++) {
            all = all.concat(bytes(i, 1_000));
            long acknowledged = get(file.append(bytes(i, 1_000)));

            assertThat(get(other.stat(PATH))).isEqualTo(new FileInfo(PATH, acknowledged, false));
            assertThat(get(other.read(PATH, 0, (int) acknowledged))).isEqualTo(all);
            get(file.barrier()); // It may be stored like an append, and adds nothing.
            assertThat(get(other.stat(PATH))).isEqualTo(new FileInfo(PATH, acknowledged, false));
        }
    }

    @Test
    void aReaderThatFollowedAnOpenFileReadsAllOfItAfterItLearnsOfTheSeal() throws IOException {
        Dfs other = openAnother();
        for (int i = 0; i < 10; i++) {
            String path = PATH + "-" + i;
            DfsFile file = get(dfs.create(path));
            get(file.append(text("abc")));
            assertThat("abcdef").startsWith(get(other.read(path, 0, 99)).toStringUtf8());
            get(file.append(text("def")));
            assertThat("abcdef").startsWith(get(other.read(path, 0, 99)).toStringUtf8());

            get(dfs.seal(path));

            assertThat(get(other.stat(path))).isEqualTo(new FileInfo(path, 6, true));
            assertThat(get(other.read(path, 0, 99))).isEqualTo(text("abcdef"));
        }
    }

    @Test
    void aHandleFailsWhenSomebodyElseHasSealedAndDeletedItsFile() throws IOException {
        Dfs other = openAnother();
        DfsFile file = get(dfs.create(PATH));
        get(file.append(text("abc")));
        get(other.seal(PATH));
        get(other.delete(PATH));

        for (CompletableFuture<?> late : List.of(file.barrier(), file.append(text("d")), file.barrier())) {
            assertThatThrownBy(() -> get(late)).isInstanceOf(DfsException.class);
        }
        assertFails(dfs.seal(PATH), Reason.DELETED);
    }

    @Test
    void aClosedHandleRefusesAppends() {
        DfsFile file = get(dfs.create(PATH));
        CompletableFuture<Long> append = file.append(text("abc"));
        file.close();
        file.close();

        assertThat(get(append)).isEqualTo(3);
        assertFails(file.append(text("d")), Reason.BROKEN);
        assertFails(file.barrier(), Reason.BROKEN);
    }

    /** Whether it looks sealed by then is left to the implementation. */
    @Test
    void aFileWhoseHandleWasClosedUnsealedKeepsWhatWasAcknowledged() throws IOException {
        for (int i = 0; i < 10; i++) {
            String path = PATH + "-" + i;
            DfsFile file = get(dfs.create(path));
            get(file.append(text("abc")));
            CompletableFuture<Long> last = file.append(text("def"));
            file.close();

            assertThat(get(last)).isEqualTo(6);
            assertThat(get(dfs.stat(path)).length()).isEqualTo(6);
            Dfs sealer = i % 2 == 0 ? dfs : openAnother();
            assertThat(get(sealer.seal(path))).isEqualTo(6);
            assertThat(get(sealer.read(path, 0, 10))).isEqualTo(text("abcdef"));
            assertFails(file.append(text("g")), Reason.BROKEN);
            get(dfs.delete(path));
            assertFails(dfs.seal(path), Reason.DELETED);
        }
    }

    @Test
    void aClosedDfsAnswersEverything() {
        DfsFile file = get(dfs.create(PATH));
        dfs.close();

        assertFails(file.append(text("d")), Reason.BROKEN);
        assertFails(file.barrier(), Reason.BROKEN);
        assertFails(dfs.seal(PATH), Reason.BROKEN);
        assertFails(dfs.create("other"), Reason.BROKEN);
    }

    @Test
    void appendsOfAllSizesKeepTheirBytes() {
        DfsFile file = get(dfs.create(PATH));
        List<CompletableFuture<Long>> appends = new ArrayList<>();
        ByteString all = ByteString.EMPTY;
        int[] sizes = {1, 16 * 1024, 5, 300_000, 16 * 1024 - 1, 5_000_000, 7, 262_144, 262_144, 100, 9_000_000, 3};
        for (int i = 0; i < sizes.length; i++) {
            ByteString bytes = bytes(i, sizes[i]);
            all = all.concat(bytes);
            appends.add(file.append(bytes));
        }
        long end = 0;
        for (int i = 0; i < sizes.length; i++) {
            end += sizes[i];
            assertThat(get(appends.get(i))).isEqualTo(end);
        }

        assertReads(PATH, all);
        assertThat(get(dfs.read(PATH, 20_000, 400_000))).isEqualTo(all.substring(20_000, 420_000));
        assertThat(get(dfs.seal(PATH))).isEqualTo(end);
        assertThat(readAll(PATH)).isEqualTo(all);
    }

    @Test
    void appendsCompleteInOrder() {
        DfsFile file = get(dfs.create(PATH));
        List<Integer> completed = java.util.Collections.synchronizedList(new ArrayList<>());
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            int number = i;
            all.add(file.append(bytes(i, 1 + i % 700)).thenAccept(length -> completed.add(number)));
        }
        all.forEach(this::get);

        assertThat(completed).hasSize(2_000).isSorted();
    }

    @Test
    void readersOfAnOpenFileSeeWhatIsAcknowledged() {
        DfsFile file = get(dfs.create(PATH));
        for (int i = 1; i <= 200; i++) {
            long acknowledged = get(file.append(bytes(i, 1_000)));
            assertThat(get(dfs.stat(PATH))).isEqualTo(new FileInfo(PATH, acknowledged, false));
            assertThat(get(dfs.read(PATH, acknowledged - 1_000, 2_000))).isEqualTo(bytes(i, 1_000));
        }
    }

    @Test
    void manyFilesAreWrittenAtOnce() {
        List<DfsFile> files = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            files.add(get(dfs.create("many/" + i)));
        }
        List<CompletableFuture<Long>> appends = new ArrayList<>();
        for (int round = 0; round < 40; round++) {
            for (int i = 0; i < files.size(); i++) {
                appends.add(files.get(i).append(bytes(i * 1000L + round, 700)));
            }
        }
        appends.forEach(this::get);

        for (int i = 0; i < files.size(); i++) {
            assertThat(get(dfs.seal("many/" + i))).isEqualTo(28_000);
            assertThat(get(dfs.read("many/" + i, 7 * 700, 700))).isEqualTo(bytes(i * 1000L + 7, 700));
        }
    }

    @Test
    void aSealAmongAppendsKeepsAcknowledgedOnesAndRefusesLaterOnes() {
        for (int round = 0; round < 30; round++) {
            String path = PATH + "-" + round;
            DfsFile file = get(dfs.create(path));
            List<CompletableFuture<Long>> appends = new ArrayList<>();
            for (int i = 0; i < 20 * (round % 5); i++) {
                appends.add(file.append(bytes(i, i % 7 == 0 ? 300_000 : 100)));
            }
            CompletableFuture<Long> seal = dfs.seal(path);
            for (int i = 0; i < 50; i++) {
                appends.add(file.append(bytes(i, 100)));
            }

            long sealed = get(seal);

            assertAcknowledgedInside(appends, sealed);
            assertFails(file.barrier(), Reason.SEALED);
            assertThat(get(dfs.seal(path))).isEqualTo(sealed);
            assertThat(readAll(path).size()).isEqualTo(sealed);
        }
    }

    private void assertAcknowledgedInside(List<CompletableFuture<Long>> appends, long sealed) {
        boolean failed = false;
        for (CompletableFuture<Long> append : appends) {
            try {
                assertThat(get(append)).isLessThanOrEqualTo(sealed);
                assertThat(failed).as("an append behind a failed one completed").isFalse();
            } catch (DfsException refused) {
                assertThat(refused.reason()).isEqualTo(Reason.SEALED);
                failed = true;
            }
        }
    }

    @Test
    void everythingIsThereAfterAReopen() throws IOException {
        get(get(dfs.create("open")).append(bytes(1, 100_000)));
        get(get(dfs.create("sealed")).append(bytes(2, 700_000)));
        get(dfs.seal("sealed"));
        get(dfs.create("deleted"));
        get(dfs.delete("deleted"));
        get(dfs.seal("never"));

        for (int i = 0; i < 3; i++) {
            reopen();

            assertReads("open", bytes(1, 100_000));
            assertThat(get(dfs.stat("sealed"))).isEqualTo(new FileInfo("sealed", 700_000, true));
            assertThat(readAll("sealed")).isEqualTo(bytes(2, 700_000));
            assertSees(
                    () -> dfs.list(""),
                    List.of(
                            new FileInfo("never", 0, true),
                            new FileInfo("open", 100_000, false),
                            new FileInfo("sealed", 700_000, true)));
            assertFails(dfs.seal("deleted"), Reason.DELETED);
            assertFails(dfs.create("never"), Reason.EXISTS);
        }
        assertThat(get(dfs.seal("open"))).isEqualTo(100_000);
    }

    /** Between the marks: a third of the way down from the mark at which clients' writes end. */
    @Test
    void onADiskThatIsShortOfSpaceOnlyWorkThatFreesSpaceContinues() throws IOException {
        get(get(dfs.create("data")).append(bytes(1, 100_000)));
        dfs = openWith(Dfs.Space.LOW);
        DfsFile log = get(dfs.create(PATH));

        assertFails(log.append(bytes(2, 1_000), Purpose.WRITE), Reason.NO_SPACE);
        assertFails(log.append(bytes(2, 1_000)), Reason.NO_SPACE); // It would be behind one that failed.
        assertFails(log.barrier(), Reason.NO_SPACE);
        assertThat(dfs.space()).isEqualTo(Dfs.Space.LOW);

        assertThat(get(dfs.seal(PATH))).isZero();
        DfsFile next = get(dfs.create(PATH + "-next"));
        assertThat(get(next.append(bytes(3, 1_000)))).isEqualTo(1_000);
        get(next.barrier());
        assertThat(get(get(dfs.create("checkpoint")).append(bytes(4, 300_000), Purpose.CHECKPOINT)))
                .isEqualTo(300_000);
        assertReads("data", bytes(1, 100_000));
        get(dfs.delete("data"));

        reopen();
        assertReads(PATH + "-next", bytes(3, 1_000));
        assertThat(get(get(dfs.create(PATH + "-last")).append(bytes(5, 1_000), Purpose.WRITE)))
                .isEqualTo(1_000);
    }

    @Test
    void onAFullDiskWhatServesRangesIsTakenAndTheRestWaits() throws IOException {
        get(get(dfs.create("data")).append(bytes(1, 1_000)));
        dfs = openWith(Dfs.Space.FULL);

        assertThat(get(get(dfs.create("manifest")).append(bytes(2, 1_000), Purpose.SERVING)))
                .isEqualTo(1_000);
        assertThat(get(dfs.seal("manifest"))).isEqualTo(1_000);
        get(get(dfs.create(PATH)).barrier());
        assertFails(get(dfs.create(PATH + "-next")).append(bytes(3, 1_000), Purpose.WRITE), Reason.NO_SPACE);
        DfsFile waiting = get(dfs.create(PATH + "-last"));
        CompletableFuture<Long> waits = waiting.append(bytes(3, 1_000));
        get(waiting.barrier()); // Sent behind it, and answered.
        assertThat(waits).isNotDone();
        assertReads("manifest", bytes(2, 1_000));

        reopen();
        assertReads("manifest", bytes(2, 1_000));
    }

    @Test
    void theProbeIsReady() {
        assertThat(get(dfs.probe()).missing()).isEmpty();
    }
}
