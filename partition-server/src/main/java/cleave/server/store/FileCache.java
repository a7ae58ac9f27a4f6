package cleave.server.store;

import cleave.model.manifest.Manifest;
import cleave.runtime.files.PrivateFiles;
import cleave.server.dfs.FileTransfer;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongConsumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sorted files of checkpoints that are on this disk, by their paths in the DFS. A file is there once, however many stores use it: cache and
 * stores have hard links to it. It outlives the stores and the process. Thread-safe; blocks its caller.
 *
 * <p>The cache is its folder and nothing else: a file comes into it whole, by a link or a renaming, and its time is that of its last use. What is
 * there need not be right. So each file is compared with length and checksum of the manifest before a store gets it, and a wrong one is deleted.
 * Sorted files alone are shared, for RocksDB never changes them; no other file is kept here.
 *
 * <p>A file that a store uses costs nothing here. The others have a quarter of the space that would be free without them, without the reserve
 * of the disk: {@link #sweep}. No failure of the cache fails its caller, who fetches the file instead.
 */
final class FileCache {
    private static final Logger LOG = LoggerFactory.getLogger(FileCache.class);
    /** File systems allow 255. */
    private static final int NAME_MAX = 240;

    private static final String COMING = ".coming";
    private static final long SHARE = 4;

    private final Path folder;
    private final Linker linker;
    private final ConcurrentMap<String, CompletableFuture<Void>> underWay = new ConcurrentHashMap<>();
    /** Paths that no checkpoint of a range served here names any more, of which a store may still have the file. */
    private final Set<String> outdated = ConcurrentHashMap.newKeySet();

    private final AtomicBoolean saysCopies = new AtomicBoolean();
    private volatile long idleBytes;

    /** Makes a hard link. */
    interface Linker {
        void link(Path link, Path existing) throws IOException;
    }

    /** Brings files that are not here into the folder of a store, and answers those that the DFS holds damaged. */
    interface Fetch {
        List<Manifest.File> fetch(List<Manifest.File> files) throws IOException;
    }

    /** Makes the folder, and deletes what an earlier process had not finished. */
    FileCache(Path folder) throws IOException {
        this(folder, Files::createLink);
    }

    FileCache(Path folder, Linker linker) throws IOException {
        this.folder = PrivateFiles.make(folder);
        this.linker = linker;
        for (Path each : files()) {
            if (each.toString().endsWith(COMING)) {
                Files.deleteIfExists(each);
            }
        }
    }

    /**
     * Puts files into the folder of a store. Those that are not here are fetched, and kept if they are right. Of several callers that want
     * the same file one fetches it, and the others wait for it.
     *
     * @param files with checksums
     * @param linked gets how many more bytes came without being fetched
     * @return what {@code fetch} answered
     */
    List<Manifest.File> bring(List<Manifest.File> files, Path store, Fetch fetch, LongConsumer linked)
            throws IOException {
        List<Manifest.File> damaged = new ArrayList<>();
        List<Manifest.File> left = files;
        while (!left.isEmpty()) {
            CompletableFuture<Void> done = new CompletableFuture<>();
            List<Manifest.File> own = new ArrayList<>();
            List<Manifest.File> others = new ArrayList<>();
            List<CompletableFuture<Void>> waits = new ArrayList<>();
            for (Manifest.File file : left) {
                CompletableFuture<Void> other = underWay.putIfAbsent(file.path(), done);
                if (other == null || other == done) {
                    own.add(file);
                } else {
                    others.add(file);
                    waits.add(other);
                }
            }
            try {
                damaged.addAll(bringOwn(own, store, fetch, linked));
            } finally {
                own.forEach(file -> underWay.remove(file.path(), done));
                done.complete(null);
            }
            waits.forEach(CompletableFuture::join); // Nobody waits for this caller any more.
            left = others;
        }
        return damaged;
    }

    private List<Manifest.File> bringOwn(List<Manifest.File> files, Path store, Fetch fetch, LongConsumer linked)
            throws IOException {
        List<Manifest.File> missing = new ArrayList<>();
        for (Manifest.File file : files) {
            if (link(file, store.resolve(file.localName()))) {
                linked.accept(file.length());
            } else {
                missing.add(file);
            }
        }
        if (missing.isEmpty()) {
            return List.of();
        }
        List<Manifest.File> damaged = fetch.fetch(missing);
        for (Manifest.File file : missing) {
            if (!damaged.contains(file)) {
                keep(file, store.resolve(file.localName()));
            }
        }
        return damaged;
    }

    /** True if the file is here, is right, and has got this name. */
    private boolean link(Manifest.File file, Path local) {
        Path cached = cached(file.path());
        try {
            if (!isRight(file, cached)) {
                LOG.warn("a cached file is not what it was, and is fetched again file={}", file.path());
                Files.deleteIfExists(cached);
                return false;
            }
            linkOrCopy(local, cached);
            outdated.remove(file.path());
            Files.setLastModifiedTime(cached, FileTime.from(Instant.now()));
            return true;
        } catch (NoSuchFileException isMissing) {
            return false;
        } catch (IOException failure) {
            LOG.warn("a cached file cannot be used file={} reason={}", file.path(), failure.toString());
            deleteQuietly(local);
            return false;
        }
    }

    private static boolean isRight(Manifest.File file, Path cached) throws IOException {
        Integer checksum = file.checksum();
        return Files.size(cached) == file.length() && checksum != null && checksum == FileTransfer.checksum(cached);
    }

    /** Keeps a sorted file, which has just been compared with its checksum, under its path. */
    void keep(Manifest.File file, Path local) {
        Path cached = cached(file.path());
        if (cached.getFileName().toString().length() > NAME_MAX) {
            return;
        }
        try {
            linkOrCopy(cached, local);
        } catch (FileAlreadyExistsException known) {
            // It is compared before it is used.
        } catch (IOException failure) {
            LOG.warn("a file is not cached file={} reason={}", file.path(), failure.toString());
        }
    }

    private void linkOrCopy(Path link, Path existing) throws IOException {
        try {
            linker.link(link, existing);
        } catch (FileAlreadyExistsException | NoSuchFileException answer) {
            throw answer;
        } catch (IOException | UnsupportedOperationException failure) {
            if (!saysCopies.getAndSet(true)) {
                LOG.warn(
                        "files are copied between the stores and their cache, because the file system cannot link them; "
                                + "they need twice the space folder={} reason={}",
                        folder,
                        failure.toString());
            }
            copy(link, existing);
        }
    }

    private static void copy(Path to, Path from) throws IOException {
        Path coming = to.resolveSibling(to.getFileName() + COMING);
        try {
            Files.copy(from, coming);
            Files.move(coming, to, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            deleteQuietly(coming);
        }
    }

    /** A range that is served here has a new checkpoint, without these paths. They go as soon as no store has their files. */
    void outdated(List<String> paths) {
        outdated.addAll(paths);
        dropOutdated();
    }

    private void dropOutdated() {
        outdated.removeIf(this::isDropped);
    }

    private boolean isDropped(String path) {
        Path cached = cached(path);
        try {
            boolean isIdle = isIdle(cached);
            if (isIdle) {
                Files.deleteIfExists(cached);
            }
            return isIdle;
        } catch (NoSuchFileException isGone) {
            return true;
        } catch (IOException failure) {
            LOG.info("an outdated file is not deleted yet file={} reason={}", path, failure.toString());
            return false;
        }
    }

    /** True if no store has this file. */
    private static boolean isIdle(Path cached) throws IOException {
        try {
            return (Integer) Files.getAttribute(cached, "unix:nlink") == 1;
        } catch (UnsupportedOperationException | IllegalArgumentException unknown) {
            return true;
        }
    }

    /** A file that no store has. */
    private record Idle(Path cached, long bytes, FileTime used) {}

    /**
     * Deletes what is outdated, and what the bound has no room for: of the files that no store has, those that were used longest ago.
     *
     * @param freeBytes on the disk
     * @param reserveBytes that should stay free for the stores
     */
    synchronized void sweep(long freeBytes, long reserveBytes) {
        dropOutdated();
        List<Idle> idle = idle();
        long bytes = idle.stream().mapToLong(Idle::bytes).sum();
        long room = Math.max(0, (freeBytes + bytes) / SHARE - reserveBytes);
        int deleted = 0;
        for (Idle each : idle) {
            if (bytes <= room) {
                break;
            }
            deleteQuietly(each.cached());
            bytes -= each.bytes();
            deleted++;
        }
        idleBytes = bytes;
        if (deleted > 0) {
            LOG.info("cached files deleted count={} kept bytes={} room bytes={}", deleted, bytes, room);
        }
    }

    /** Bytes of the files that no store had at the last sweep. */
    long idleBytes() {
        return idleBytes;
    }

    /** By their last use, the oldest first. */
    private List<Idle> idle() {
        List<Idle> idle = new ArrayList<>();
        try {
            for (Path each : files()) {
                addIfIdle(each, idle);
            }
        } catch (IOException failure) {
            LOG.warn("the cached files cannot be listed folder={} reason={}", folder, failure.toString());
        }
        idle.sort(Comparator.comparing(Idle::used));
        return idle;
    }

    private static void addIfIdle(Path cached, List<Idle> idle) {
        try {
            BasicFileAttributes attributes = Files.readAttributes(cached, BasicFileAttributes.class);
            if (isIdle(cached)) {
                idle.add(new Idle(cached, attributes.size(), attributes.lastModifiedTime()));
            }
        } catch (IOException isGone) {
            LOG.debug("a cached file is gone file={} reason={}", cached, isGone.toString());
        }
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return all.toList();
        }
    }

    private Path cached(String path) {
        return folder.resolve(URLEncoder.encode(path, StandardCharsets.UTF_8) + ".sst");
    }

    private static void deleteQuietly(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException failure) {
            LOG.info("a cached file is not deleted yet file={} reason={}", file, failure.toString());
        }
    }
}
