package cleave.deploy.engine;

import cleave.deploy.CommandFailure;
import cleave.runtime.files.PrivateFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The folders in which a bookie, or a server of ZooKeeper, keeps everything, each possibly on its own volume, with an id of their contents.
 * Confined to one thread.
 *
 * <p>Invariant: an id is a disk's. Folders that were emptied get a new one. Under the old one the others would take the bookie for the
 * owner of entries that it has lost, and would conclude that they were never written. A disk that has lost a part, be it the journal alone,
 * has lost acknowledged data, too.
 */
public final class EngineDisk {
    private static final String ID = "id";
    private static final int RANDOM_DIGITS = 8;
    /** What follows a name in an id: perhaps a zone, as the placement of copies knows it. */
    private static final Pattern REST = Pattern.compile("(\\.zone\\.[A-Za-z0-9._-]+)?-[0-9a-f]{" + RANDOM_DIGITS + "}");

    private final List<Path> folders;
    private final String owner;
    private final String remedy;

    private EngineDisk(List<Path> folders, String owner, String remedy) {
        this.folders = List.copyOf(folders);
        this.owner = owner;
        this.remedy = remedy;
    }

    /** The disk of a bookie, which the other processes know by its id. */
    public static EngineDisk ofBookie(List<Path> folders) {
        return new EngineDisk(
                folders,
                "bookie",
                "the bookie then begins with an empty disk and another id, and autorecovery copies what is missing");
    }

    static EngineDisk ofZooKeeper(List<Path> folders) {
        return new EngineDisk(
                folders,
                "ZooKeeper server",
                "the server then copies everything from the others, if most of them have theirs");
    }

    /** Empty if the folders were never used. */
    public Optional<String> id() {
        try {
            TreeSet<String> ids = new TreeSet<>();
            for (Path folder : folders) {
                idIn(folder).ifPresent(ids::add);
            }
            if (ids.size() > 1) {
                throw CommandFailure.failed("the " + owner + "'s folders are parts of different disks, "
                        + String.join(", ", ids) + ": " + text() + ". Put those together that belong together");
            }
            for (Path folder : folders) {
                if (idIn(folder).isEmpty()) {
                    refuseLoss(folder);
                }
            }
            return ids.stream().findFirst();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** @param folder without an id */
    private void refuseLoss(Path folder) throws IOException {
        if (isUsed(folder)) {
            throw CommandFailure.failed("the " + owner + "'s id is missing: " + folder.resolve(ID) + " is gone, but "
                    + folder + " is not empty. Restore the file, or empty " + text() + ": " + remedy);
        }
        for (Path other : folders) {
            if (isUsed(other)) {
                throw CommandFailure.failed(
                        "a part of the " + owner + "'s disk is lost: " + folder + " is empty, but " + other
                                + " is not, and it cannot be used alone. Empty " + text()
                                + " (on Kubernetes: delete both claims and the pod): " + remedy);
            }
        }
    }

    private static Optional<String> idIn(Path folder) throws IOException {
        Path file = folder.resolve(ID);
        return Files.exists(file)
                ? Optional.of(Files.readString(file, StandardCharsets.UTF_8).strip())
                        .filter(id -> !id.isEmpty())
                : Optional.empty();
    }

    /** True if something is kept there. */
    private static boolean isUsed(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return false;
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.anyMatch(each -> !each.equals(folder.resolve(ID)));
        }
    }

    private String text() {
        return String.join(" and ", folders.stream().map(Path::toString).toList());
    }

    /**
     * The folders' id; made if they have none.
     *
     * @param name with which an id that is made begins
     */
    public String settle(String name) {
        String id =
                id().orElseGet(() -> name + "-" + UUID.randomUUID().toString().substring(0, RANDOM_DIGITS));
        try {
            for (Path folder : folders) {
                if (idIn(folder).isEmpty()) {
                    PrivateFiles.make(folder);
                    sync(PrivateFiles.write(folder.resolve(ID), id + "\n"));
                    sync(folder);
                }
            }
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        return id;
    }

    /**
     * True if the id is one that {@link #settle} makes with this name, with or without a zone: that of {@code a} is not that of {@code a-b}.
     */
    public static boolean isNamed(String id, String name) {
        return id.startsWith(name) && REST.matcher(id.substring(name.length())).matches();
    }

    private static void sync(Path path) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }
}
