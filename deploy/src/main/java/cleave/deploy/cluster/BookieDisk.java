package cleave.deploy.cluster;

import cleave.deploy.CommandFailure;
import cleave.runtime.files.PrivateFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * The folder in which a bookie keeps everything, with the id under which the others know what is in it. Confined to one thread.
 *
 * <p>Invariant: an id is a disk's. A folder that was emptied gets a new one: the others would take a bookie that came back under
 * the old one for the owner of entries that it has lost, and would conclude that they were never written.
 */
record BookieDisk(Path folder) {
    private static final String ID = "id";
    private static final int RANDOM_DIGITS = 8;

    /** Empty if the folder was never used. */
    Optional<String> id() {
        Path file = folder.resolve(ID);
        try {
            if (Files.exists(file)) {
                String id = Files.readString(file, StandardCharsets.UTF_8).strip();
                if (!id.isEmpty()) {
                    return Optional.of(id);
                }
            }
            if (Files.isDirectory(folder)) {
                try (Stream<Path> files = Files.list(folder)) {
                    if (files.anyMatch(each -> !each.equals(file))) {
                        throw CommandFailure.failed("the bookie's id is missing: " + file + " is gone, but " + folder
                                + " is not empty. Restore the file, or remove the folder: the bookie then begins with an"
                                + " empty disk, and autorecovery copies what is missing");
                    }
                }
            }
            return Optional.empty();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** The folder's id; made if it has none. */
    String settle(NodeId node) {
        return id().orElseGet(() -> {
            String id = node + "-" + UUID.randomUUID().toString().substring(0, RANDOM_DIGITS);
            try {
                PrivateFiles.make(folder);
                PrivateFiles.write(folder.resolve(ID), id + "\n");
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
            return id;
        });
    }
}
