package cleave.deploy;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** A disk of some megabytes that really fills up: a tmpfs, where it can be mounted. For tests; to be used by one thread. */
public final class SmallDisk implements AutoCloseable {
    private static final int CHUNK_BYTES = 1 << 20;

    private final Path at;

    private SmallDisk(Path at) {
        this.at = at;
    }

    /** Mounts the disk. Where that is not possible, as for people other than root, the test is skipped, and says so. */
    public static SmallDisk mount(Path at, int megabytes) throws IOException {
        Files.createDirectories(at);
        boolean mounted = run("mount", "-t", "tmpfs", "-o", "mode=700,size=" + megabytes + "m", "tmpfs", at.toString());
        assumeTrue(mounted, "skipped: a tmpfs cannot be mounted here (it takes root), so no disk can be filled");
        return new SmallDisk(at);
    }

    private static boolean run(String... command) throws IOException {
        Process process;
        try {
            process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException noSuchCommand) {
            return false;
        }
        process.getOutputStream().close();
        try {
            return process.waitFor(2, TimeUnit.MINUTES) && process.exitValue() == 0;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while waiting for " + String.join(" ", command), interrupted);
        }
    }

    /** Others take all that is free, to the last byte. */
    public void fill() throws IOException {
        try (OutputStream out = Files.newOutputStream(filler())) {
            while (true) {
                out.write(new byte[CHUNK_BYTES]);
            }
        } catch (IOException full) {
            if (Files.getFileStore(at).getUsableSpace() > CHUNK_BYTES) {
                throw full;
            }
        }
    }

    /** Others take all but this. */
    public void fillAllBut(long bytes) throws IOException {
        try (OutputStream out = Files.newOutputStream(filler())) {
            for (long free = freeBytes(); free > bytes; free = freeBytes()) {
                out.write(new byte[(int) Math.min(CHUNK_BYTES, free - bytes)]);
            }
        }
    }

    private Path filler() {
        return at.resolve("taken-by-others");
    }

    /** They leave. */
    public void release() throws IOException {
        Files.delete(filler());
    }

    public long freeBytes() throws IOException {
        return Files.getFileStore(at).getUsableSpace();
    }

    /** Unmounts it even if files of it are still open. */
    @Override
    public void close() throws IOException {
        if (!run("umount", at.toString()) && !run("umount", "-l", at.toString())) {
            throw new IOException("cannot unmount " + at);
        }
    }
}
