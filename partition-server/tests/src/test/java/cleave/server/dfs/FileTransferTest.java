package cleave.server.dfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.dfs.Dfs;
import cleave.dfs.DfsFile.Purpose;
import cleave.dfs.memory.InMemoryDfs;
import cleave.model.manifest.Manifest;
import cleave.server.dfs.FileTransfer.Upload;
import com.google.protobuf.ByteString;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

/** Handles of files must end: to an engine, one that is closed unsealed is a file that its writer gave up. */
final class FileTransferTest {
    private static final FileTransfer.Check UNCHECKED = (local, sent) -> {};
    private static final String PREFIX = "ranges/17.0/42-s1.9-checkpoint-";

    @TempDir
    private Path folder;

    private final InMemoryDfs dfs = new InMemoryDfs();
    private final FileTransfer transfer = new FileTransfer(dfs);
    private final List<Upload> uploads = new ArrayList<>();

    /** More files than are on their way at a time, some of several pieces, one without bytes. */
    @BeforeEach
    void write() throws IOException {
        Random random = new Random(5);
        for (int i = 0; i < 40; i++) {
            byte[] bytes = new byte[i * i * 3_001];
            random.nextBytes(bytes);
            uploads.add(new Upload(Files.write(folder.resolve(i + ".sst"), bytes), PREFIX + i));
        }
    }

    @Test
    void filesAreSealedBeforeTheirHandlesAreClosed() throws IOException {
        List<Manifest.File> uploaded = transfer.upload(uploads, UNCHECKED);

        assertThat(uploaded)
                .extracting(Manifest.File::path)
                .containsExactlyElementsOf(uploads.stream().map(Upload::path).toList());
        assertThat(uploaded).allMatch(file -> dfs.isSealed(file.path()));
        assertThat(dfs.givenUp()).isEmpty();
        assertThat(dfs.handles()).isEmpty();
    }

    @Test
    void whatWasUploadedIsDownloadedAsItWas() throws IOException {
        Path copies = Files.createDirectory(folder.resolve("copies"));
        transfer.download(stored(transfer.upload(uploads, UNCHECKED)), copies, bytes -> {});

        for (Upload each : uploads) {
            assertThat(copies.resolve(each.local().getFileName())).hasSameBinaryContentAs(each.local());
        }
    }

    /** One after the other, they would wait forever. */
    @Test
    @Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
    void filesAreAskedForTogether() throws IOException {
        List<Manifest.File> uploaded =
                new FileTransfer(answeringTogether("create", 16)).upload(uploads.subList(0, 32), UNCHECKED);
        assertThat(uploaded).hasSize(32);

        Path copies = Files.createDirectory(folder.resolve("copies"));
        new FileTransfer(answeringTogether("read", 10)).download(stored(uploaded.subList(1, 11)), copies, bytes -> {});
        assertThat(copies.resolve(uploads.get(10).local().getFileName()))
                .hasSameBinaryContentAs(uploads.get(10).local());
    }

    /** The DFS, which answers a method only when it has been called so many times more. */
    private Dfs answeringTogether(String method, int calls) {
        List<Runnable> waiting = new ArrayList<>();
        return (Dfs) Proxy.newProxyInstance(
                Dfs.class.getClassLoader(), new Class<?>[] {Dfs.class}, (proxy, called, arguments) -> {
                    Object answer = called.invoke(dfs, arguments);
                    if (!called.getName().equals(method)) {
                        return answer;
                    }
                    CompletableFuture<@Nullable Object> later = new CompletableFuture<>();
                    waiting.add(() -> later.complete(((CompletableFuture<?>) answer).join()));
                    if (waiting.size() == calls) {
                        waiting.forEach(Runnable::run);
                        waiting.clear();
                    }
                    return later;
                });
    }

    @Test
    void ofFilesThatCannotBeWrittenNothingStays() {
        dfs.refuse(Purpose.CHECKPOINT);
        assertThatThrownBy(() -> transfer.upload(uploads, UNCHECKED)).isInstanceOf(IOException.class);

        assertThat(uploads).noneMatch(file -> dfs.exists(file.path()));
        assertThat(dfs.givenUp()).isEmpty();
        assertThat(dfs.handles()).isEmpty();
    }

    /** A failure that is reported before the deletions are done says what is not so yet. */
    @Test
    void nothingStaysIsSaidWhenNothingStays() throws IOException {
        ExecutorService one = Executors.newSingleThreadExecutor();
        try {
            assertNothingStays(CompletableFuture.delayedExecutor(100, TimeUnit.MILLISECONDS, one));
        } finally {
            one.shutdown();
        }
    }

    /** @param late on one thread, as the DFS in memory wants it */
    private void assertNothingStays(Executor late) throws IOException {
        Dfs slow = (Dfs) Proxy.newProxyInstance(
                Dfs.class.getClassLoader(), new Class<?>[] {Dfs.class}, (proxy, called, arguments) -> {
                    CompletableFuture<CompletableFuture<?>> answered =
                            CompletableFuture.supplyAsync(() -> answer(called, arguments), late);
                    return answered.thenCompose(answer -> answer);
                });
        transfer.upload(List.of(uploads.get(0)), UNCHECKED);
        assertThatThrownBy(() -> new FileTransfer(slow).upload(uploads, UNCHECKED))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(uploads.get(0).path());

        assertThat(uploads.stream().map(Upload::path).filter(dfs::exists))
                .containsExactly(uploads.get(0).path());
        assertThat(dfs.handles()).isEmpty();
    }

    private CompletableFuture<?> answer(Method called, Object[] arguments) {
        try {
            return (CompletableFuture<?>) called.invoke(dfs, arguments);
        } catch (ReflectiveOperationException impossible) {
            throw new LinkageError(impossible.getMessage(), impossible);
        }
    }

    @Test
    void aFileThatAnotherHasMadeIsLeftAlone() throws IOException {
        transfer.upload(List.of(uploads.get(20)), UNCHECKED);
        assertThatThrownBy(() -> transfer.upload(uploads, UNCHECKED))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(uploads.get(20).path());

        assertThat(uploads.stream().map(Upload::path).filter(dfs::exists))
                .containsExactly(uploads.get(20).path());
        assertThat(dfs.handles()).isEmpty();
    }

    @Test
    void aFileThatIsShorterThanItsManifestSaysIsNoCheckpoints() throws IOException {
        Manifest.File file =
                transfer.upload(List.of(uploads.get(30)), UNCHECKED).get(0);
        Manifest.File longer = new Manifest.File(file.localName(), file.path(), file.length() + 1);
        Path copies = Files.createDirectory(folder.resolve("copies"));

        assertThatThrownBy(() -> transfer.download(stored(List.of(longer)), copies, bytes -> {}))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(file.path() + " ends at " + file.length() + ", before " + longer.length());
    }

    private static Manifest.FileSet stored(List<Manifest.File> files) {
        return new Manifest.FileSet(files, List.of());
    }

    @Test
    void inlineFilesAreWrittenWithoutTheDfs() throws IOException {
        Manifest.File file = transfer.upload(List.of(uploads.get(3)), UNCHECKED).get(0);
        Manifest.InlineFile inline = new Manifest.InlineFile("CURRENT", ByteString.copyFromUtf8("MANIFEST-000005\n"));
        Manifest.InlineFile empty = new Manifest.InlineFile("EMPTY", ByteString.EMPTY);
        Path copies = Files.createDirectory(folder.resolve("copies"));
        AtomicLong copied = new AtomicLong();

        transfer.download(new Manifest.FileSet(List.of(file), List.of(inline, empty)), copies, copied::addAndGet);

        assertThat(copies.resolve("CURRENT")).hasContent("MANIFEST-000005\n");
        assertThat(copies.resolve("EMPTY")).isEmptyFile();
        assertThat(copies.resolve(file.localName())).hasSize(file.length());
        assertThat(copied).hasValue(file.length());
    }

    @Test
    void aManifestNamesNoFileOutsideItsFolder() throws IOException {
        Manifest.File file = transfer.upload(List.of(uploads.get(3)), UNCHECKED).get(0);
        Manifest.File outside = new Manifest.File("../stolen", file.path(), file.length());
        Path copies = Files.createDirectory(folder.resolve("copies"));

        Manifest.InlineFile inline = new Manifest.InlineFile("../stolen", ByteString.copyFromUtf8("x"));
        for (Manifest.FileSet bad :
                List.of(Manifest.FileSet.of(outside), new Manifest.FileSet(List.of(), List.of(inline)))) {
            assertThatThrownBy(() -> transfer.download(bad, copies, bytes -> {}))
                    .hasMessageContaining("../stolen");
        }
        assertThat(folder.resolve("stolen")).doesNotExist();
    }
}
