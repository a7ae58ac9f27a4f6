package cleave.dfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.dfs.Dfs.FileInfo;
import cleave.dfs.DfsException.Reason;
import cleave.model.ClusterId;
import cleave.model.ClusterIdentity;
import cleave.model.DfsIdentity;
import com.google.protobuf.ByteString;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The part of the contract of {@link Dfs} that is about names: which files there are, and which there were. */
abstract class DfsNamesContract extends DfsFixture {
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
