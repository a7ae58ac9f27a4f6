package cleave.dfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.dfs.Dfs.FileInfo;
import cleave.dfs.DfsException.Reason;
import cleave.dfs.DfsFile.Purpose;
import cleave.dfs.metrics.DfsMetrics;
import cleave.model.ClusterId;
import cleave.model.ClusterIdentity;
import cleave.model.DfsIdentity;
import cleave.runtime.loop.Await;
import com.google.protobuf.ByteString;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The contract of {@link Dfs}, as tests that every implementation passes. */
@Timeout(300)
public abstract class DfsContract {
    private static final String PATH = "ranges/17.0/42-s1.9-log-3";

    @TempDir
    Path folder;

    private Dfs dfs;
    /** How much space storage that is opened next keeps free; 0: its own default. */
    long spaceReserve;

    /** A client of the storage in the folder; the first of a test starts it. */
    protected abstract Dfs open() throws IOException;

    /** Stops the storage, and everything that {@link #open} gave, and lets it be opened again. */
    protected abstract void stop() throws IOException;

    /** Waits until a future is done. A loop that is turned by hand is turned until then. */
    protected void await(CompletableFuture<?> future) throws Exception {
        future.handle((value, failure) -> value).get(30, TimeUnit.SECONDS);
    }

    /** How often a reader of an open file may have to look until it sees all that is acknowledged. */
    protected int looks() {
        return 1;
    }

    private <T> void assertSees(Supplier<CompletableFuture<T>> question, T expected) {
        T seen = get(question.get());
        for (int more = looks() - 1; more > 0 && !expected.equals(seen); more--) {
            seen = get(question.get());
        }
        assertThat(seen).isEqualTo(expected);
    }

    protected static DfsMetrics metrics() {
        return new DfsMetrics(new CollectorRegistry());
    }

    @BeforeEach
    void openIt() throws IOException {
        dfs = open();
    }

    @AfterEach
    void stopIt() throws IOException {
        stop();
    }

    void reopen() throws IOException {
        stop();
        dfs = open();
    }

    final <T> T get(CompletableFuture<T> future) {
        try {
            await(future);
            return future.get(0, TimeUnit.SECONDS);
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof DfsException reason) {
                throw reason;
            }
            throw new AssertionError(failed);
        } catch (Exception failed) {
            throw new AssertionError(failed);
        }
    }

    protected static ByteString text(String text) {
        return ByteString.copyFromUtf8(text);
    }

    protected static ByteString bytes(long seed, int size) {
        byte[] bytes = new byte[size];
        new Random(seed).nextBytes(bytes);
        return ByteString.copyFrom(bytes);
    }

    protected final void assertFails(CompletableFuture<?> future, Reason reason) {
        assertThatThrownBy(() -> get(future))
                .isInstanceOfSatisfying(
                        DfsException.class,
                        failure -> assertThat(failure.reason())
                                .as(failure.toString())
                                .isEqualTo(reason));
    }

    private ByteString readAll(String path) {
        return get(dfs.read(path, 0, 64 << 20));
    }

    private void assertReads(String path, ByteString all) {
        assertSees(() -> dfs.read(path, 0, 64 << 20), all);
    }

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
    void aPathIsCreatedOnce() {
        get(dfs.create(PATH));
        assertFails(dfs.create(PATH), Reason.EXISTS);

        get(dfs.seal(PATH));
        assertFails(dfs.create(PATH), Reason.EXISTS);
    }

    @Test
    void malformedPathsAndPlacesAreRefused() {
        for (String path : List.of("", "/a", "a/", "a//b", "a b", "ä", "a\0b", "x".repeat(2000))) {
            assertFails(dfs.create(path), Reason.INVALID);
            assertFails(dfs.seal(path), Reason.INVALID);
            assertFails(dfs.delete(path), Reason.INVALID);
            assertFails(dfs.stat(path), Reason.INVALID);
        }
        assertFails(dfs.read(PATH, -1, 1), Reason.INVALID);
        assertFails(dfs.read(PATH, 0, -1), Reason.INVALID);
    }

    @Test
    void aStagedFileIsThereOnceItIsSealed() {
        DfsFile file = get(dfs.createStaged(PATH));
        get(file.append(text("whole")));

        assertThat(get(dfs.seal(PATH))).isEqualTo(5);
        file.close();
        assertThat(get(dfs.stat(PATH))).isEqualTo(new FileInfo(PATH, 5, true));
        assertThat(readAll(PATH)).isEqualTo(text("whole"));
        assertThat(get(dfs.seal(PATH))).isEqualTo(5);
        assertFails(dfs.createStaged(PATH), Reason.EXISTS);
    }

    @Test
    void aStagedFileThatIsClosedUnsealedIsWholeOrGone() {
        DfsFile file = get(dfs.createStaged(PATH));
        get(file.append(text("whole")));
        file.close();

        CompletableFuture<Long> seal = dfs.seal(PATH);

        if (get(seal.handle((length, failure) -> failure == null))) {
            assertThat(get(seal)).isEqualTo(5);
        } else {
            assertFails(seal, Reason.DELETED);
            get(get(dfs.createStaged(PATH)).append(text("again")));
            assertThat(get(dfs.seal(PATH))).isEqualTo(5);
        }
        assertThat(readAll(PATH).size()).isEqualTo(5);
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
    void namesAreSeenByEverybodyAtOnce() throws IOException {
        Dfs other = openAnother();
        for (int i = 0; i < 20; i++) {
            String path = PATH + "-" + i;
            DfsFile file = get(dfs.create(path));
            assertThat(get(other.list(path + "-"))).isEmpty();
            assertThat(get(other.list(path))).containsExactly(new FileInfo(path, 0, false));
            assertFails(other.create(path), Reason.EXISTS);
            get(file.append(text("abc")));

            get(dfs.seal(path));
            assertThat(get(other.stat(path))).isEqualTo(new FileInfo(path, 3, true));
            assertThat(get(other.list(path))).containsExactly(new FileInfo(path, 3, true));

            get(other.delete(path));
            assertFails(dfs.stat(path), Reason.NOT_FOUND);
            assertThat(get(dfs.list(path))).isEmpty();
            assertFails(dfs.create(path), Reason.EXISTS);
            assertFails(dfs.seal(path), Reason.DELETED);
        }
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

    /** Another client; the same one where there is no more than one. */
    protected Dfs openAnother() throws IOException {
        return dfs;
    }

    @Test
    void aSealedPathThatWasNeverCreatedIsAnEmptyFile() {
        assertThat(get(dfs.seal(PATH))).isZero();

        assertFails(dfs.create(PATH), Reason.EXISTS);
        assertThat(get(dfs.stat(PATH))).isEqualTo(new FileInfo(PATH, 0, true));
        assertThat(readAll(PATH)).isEqualTo(ByteString.EMPTY);
        get(dfs.delete(PATH));
        assertFails(dfs.seal(PATH), Reason.DELETED);
    }

    @Test
    void whatWasDeletedIsRefusedForEver() {
        DfsFile file = get(dfs.create(PATH));
        get(file.append(text("abc")));

        get(dfs.delete(PATH));
        get(dfs.delete(PATH));

        assertFails(file.append(text("d")), Reason.DELETED);
        assertFails(file.barrier(), Reason.DELETED);
        assertFails(dfs.create(PATH), Reason.EXISTS);
        assertFails(dfs.seal(PATH), Reason.DELETED);
        assertFails(dfs.read(PATH, 0, 1), Reason.DELETED);
        assertFails(dfs.stat(PATH), Reason.NOT_FOUND);
        assertThat(get(dfs.list(""))).isEmpty();
    }

    @Test
    void aHandleOfADeletedFileFailsAlsoIfItNeverWrote() {
        DfsFile file = get(dfs.create(PATH));

        get(dfs.delete(PATH));

        assertFails(file.barrier(), Reason.DELETED);
        assertFails(file.append(text("a")), Reason.DELETED);
    }

    @Test
    void deletingWhatNeverWasIsDone() {
        get(dfs.delete(PATH));

        assertFails(dfs.read(PATH, 0, 1), Reason.DELETED);
        assertFails(dfs.stat("never"), Reason.NOT_FOUND);
        assertFails(dfs.read("never", 0, 1), Reason.NOT_FOUND);
    }

    @Test
    void aListHasTheFilesWithThePrefixByPath() {
        for (String path : List.of("b/2", "a/1", "b/10", "b", "c")) {
            get(dfs.create(path));
        }
        get(get(dfs.create("b/3")).append(text("abc")));
        get(dfs.seal("b/2"));

        assertSees(
                () -> dfs.list("b/"),
                List.of(new FileInfo("b/10", 0, false), new FileInfo("b/2", 0, true), new FileInfo("b/3", 3, false)));
        assertThat(get(dfs.list("x"))).isEmpty();
        assertThat(get(dfs.list(""))).hasSize(6);
    }

    @Test
    void aLongListIsWhole() {
        List<CompletableFuture<Long>> seals = new ArrayList<>();
        for (int i = 0; i < 2_500; i++) {
            seals.add(dfs.seal("many/" + i));
        }
        seals.forEach(this::get);

        assertThat(get(dfs.list("many/")))
                .hasSize(2_500)
                .isSortedAccordingTo((a, b) -> a.path().compareTo(b.path()));
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
    void itsCreatorIsToldThatAFileWasDeletedHoweverLateAndOften() {
        for (String path : List.of(PATH, "ranges/17.0/42-s1.9-log-4", "cluster/identity-1")) {
            DfsFile file = get(dfs.create(path));
            get(file.append(text("abc")));
            assertThat(get(dfs.seal(path))).isEqualTo(3);
            get(dfs.delete(path));
            forgetDeleted(path);

            assertFails(dfs.seal(path), Reason.DELETED);
            get(dfs.delete(path));
            forgetDeleted(path);
            assertFails(dfs.seal(path), Reason.DELETED);
        }
    }

    /** The storage forgets that a path was deleted, if it ever does. */
    protected void forgetDeleted(String path) {}

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

    /** Opens the storage again, as if its disk were short of space, or full. */
    protected Dfs openWith(Dfs.Space space) throws IOException {
        stop();
        long free = Files.getFileStore(folder).getUsableSpace();
        spaceReserve = space == Dfs.Space.LOW ? free + free / 3 : 2 * free + free / 3;
        Dfs opened = open();
        spaceReserve = 0;
        Await.until("space is " + space, () -> {
            get(opened.probe()); // It asks the node once a second.
            return opened.space() == space;
        });
        return opened;
    }

    @Test
    void theProbeIsReady() {
        assertThat(get(dfs.probe()).missing()).isEmpty();
    }

    @Test
    void theFirstFoundedClusterOwnsItForever() throws IOException {
        ClusterIdentity first = new ClusterIdentity(new ClusterId("11111111-0000-0000-0000-000000000000"), "m1");
        ClusterIdentity second = new ClusterIdentity(new ClusterId("22222222-0000-0000-0000-000000000000"), "m2");
        assertThat(get(ClusterFile.read(dfs))).isEmpty();
        assertThat(get(ClusterFile.found(dfs, first))).isEqualTo(first);
        assertThat(get(ClusterFile.found(dfs, second))).isEqualTo(first);
        assertThat(get(ClusterFile.found(dfs, first))).isEqualTo(first);
        reopen();
        assertThat(get(ClusterFile.read(dfs))).contains(first);
    }

    @Test
    void aFoundingThatEndedBeforeItWroteAnythingIsPassedOver() throws IOException {
        DfsFile begun = get(dfs.create("cluster/identity-1"));
        assertThat(get(ClusterFile.read(dfs))).isEmpty();
        ClusterIdentity second = new ClusterIdentity(new ClusterId("22222222-0000-0000-0000-000000000000"), "m2");

        assertThat(get(ClusterFile.found(dfs, second))).isEqualTo(second);

        assertThatThrownBy(() -> get(begun.append(ByteString.copyFromUtf8("too late"))))
                .isInstanceOf(DfsException.class);
        assertThat(get(ClusterFile.read(dfs))).contains(second);
    }

    @Test
    void aFoundingThatEndedAfterItsLineCounts() throws IOException {
        ClusterIdentity first = new ClusterIdentity(new ClusterId("11111111-0000-0000-0000-000000000000"), "m1");
        get(get(dfs.create("cluster/identity-1")).append(ByteString.copyFromUtf8(first.line())));
        ClusterIdentity second = new ClusterIdentity(new ClusterId("22222222-0000-0000-0000-000000000000"), "m2");
        assertThat(get(ClusterFile.found(dfs, second))).isEqualTo(first);
    }

    @Test
    void theFirstIdOfADfsIsItsIdForever() throws IOException {
        DfsIdentity first = DfsIdentity.of("11111111-0000-0000-0000-000000000000");
        DfsIdentity second = DfsIdentity.ofCopy("22222222-0000-0000-0000-000000000000", first);
        DfsFile begun = get(dfs.create("dfs/identity-1"));

        assertThat(get(DfsIdentityFile.readOrMake(dfs, first::id))).isEqualTo(first);

        assertThatThrownBy(() -> get(begun.append(ByteString.copyFromUtf8(second.line()))))
                .isInstanceOf(DfsException.class);
        assertThat(get(DfsIdentityFile.make(dfs, second))).isEqualTo(first);
        reopen();
        assertThat(get(DfsIdentityFile.readOrMake(dfs, second::id))).isEqualTo(first);
    }
}
