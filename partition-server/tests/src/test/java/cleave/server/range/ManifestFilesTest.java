package cleave.server.range;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.dfs.Dfs;
import cleave.dfs.DfsException;
import cleave.dfs.DfsFile.Purpose;
import cleave.dfs.memory.InMemoryDfs;
import cleave.model.Damaged;
import cleave.model.KeyRange;
import cleave.model.Row;
import cleave.model.manifest.DroppedTables;
import cleave.model.manifest.Manifest;
import cleave.model.manifest.ManifestCodec;
import com.google.protobuf.UnsafeByteOperations;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

final class ManifestFilesTest {
    private static final String PATH = "ranges/17.0/42-s1.9-manifest-1";

    private final InMemoryDfs dfs = new InMemoryDfs();
    private final List<String> asked = new ArrayList<>();
    private final ManifestFiles manifests = new ManifestFiles((Dfs) Proxy.newProxyInstance(
            Dfs.class.getClassLoader(), new Class<?>[] {Dfs.class}, (self, method, arguments) -> {
                asked.add(method.getName());
                try {
                    return method.invoke(dfs, arguments);
                } catch (InvocationTargetException failure) {
                    throw failure.getCause();
                }
            }));

    private static Manifest manifest(int logs) {
        List<Manifest.Log> all = new ArrayList<>();
        for (int i = 0; i < logs; i++) {
            all.add(new Manifest.Log("ranges/17.0/42-s1.9-log-" + i, KeyRange.ALL, 0, 0));
        }
        return new Manifest(Row.id(17, 0), 42, List.of(), all, 0, DroppedTables.NONE);
    }

    private void put(byte[] bytes) {
        dfs.create(PATH)
                .thenCompose(file -> file.append(UnsafeByteOperations.unsafeWrap(bytes)))
                .thenCompose(length -> dfs.seal(PATH))
                .join();
    }

    @Test
    void theDfsIsAskedOnceForAManifest() {
        manifests.write(dfs.create(PATH).join(), manifest(3), Purpose.SERVING).join();
        asked.clear();

        assertThat(manifests.read(PATH).join()).isEqualTo(manifest(3));
        assertThat(asked).containsExactly("read");
    }

    @Test
    void aLargeManifestIsReadInPieces() {
        manifests
                .write(dfs.create(PATH).join(), manifest(60_000), Purpose.SERVING)
                .join();
        asked.clear();

        assertThat(manifests.read(PATH).join()).isEqualTo(manifest(60_000));
        assertThat(asked).startsWith("read", "stat").hasSizeGreaterThan(2);
    }

    @Test
    void whatIsNotAWholeManifestIsDamagedWhateverItSays() {
        byte[] whole = ManifestCodec.encode(manifest(3));
        put(Arrays.copyOf(whole, whole.length - 1));

        assertThatThrownBy(() -> manifests.read(PATH).join())
                .isInstanceOf(CompletionException.class)
                .cause()
                .isInstanceOf(Damaged.class)
                .hasMessageContaining("manifest says");
    }

    @Test
    void aManifestThatIsNotThereFailsAsTheDfsSays() {
        assertThatThrownBy(() -> manifests.read(PATH).join())
                .isInstanceOf(CompletionException.class)
                .cause()
                .isInstanceOfSatisfying(
                        DfsException.class,
                        missing -> assertThat(missing.reason()).isEqualTo(DfsException.Reason.NOT_FOUND));
    }
}
