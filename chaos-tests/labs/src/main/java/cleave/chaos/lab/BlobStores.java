package cleave.chaos.lab;

import cleave.chaos.load.Azurite;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Gives each run a blob store of its own: a folder, or a container of Azurite, which starts with the first run that needs it. Confined to its owner. */
final class BlobStores implements AutoCloseable {
    /** Where blobs are. */
    enum Service {
        FOLDER,
        AZURITE;

        /** The name on the command line. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final Path folder;
    private final @Nullable Path installed;
    private final Consumer<String> progress;
    private @Nullable Azurite azurite;
    private String kind = "";
    /** Azurite is not to be had. */
    private boolean isWithout;

    private BlobStores(Path folder, @Nullable Path installed, Consumer<String> progress) {
        this.folder = folder;
        this.installed = installed;
        this.progress = progress;
    }

    /** Folders below this one. */
    static BlobStores inFolder(Path folder) {
        return new BlobStores(folder, null, line -> {});
    }

    /**
     * Azurite; or folders, if it can neither be found nor installed.
     *
     * @param folder of its data
     * @param installed where npm installs it, or did before
     */
    static BlobStores inAzurite(Path folder, Path installed, Consumer<String> progress) {
        return new BlobStores(folder, installed, progress);
    }

    /** A new, empty one; to be dropped by who uses it. */
    BlobStore store(String name) throws IOException {
        if (installed != null && azurite == null && !isWithout) {
            start(installed);
        }
        return azurite == null
                ? new FolderBlobs(folder.resolve(name))
                : HttpBlobs.create(azurite.endpoint(), kind, name);
    }

    private void start(Path node) throws IOException {
        try {
            progress.accept("installing Azurite in " + node + ", unless it is there");
            Azurite.install(node);
            kind = "Azurite " + Azurite.version(node);
            azurite = Azurite.start(Azurite.Service.BLOB, node, folder.resolve("azurite"));
        } catch (IOException missing) {
            isWithout = true;
            progress.accept("without Azurite, a folder is the blob service: " + missing.getMessage());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", interrupted);
        }
    }

    @Override
    public void close() {
        if (azurite != null) {
            azurite.close();
        }
    }
}
