package cleave.chaos.fault;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * How many bytes the processes of a cluster have on disk. Immutable.
 *
 * @param bytes of all processes of each kind, such as {@code bookie}
 */
record DiskUse(Map<String, Long> bytes) {
    private static final double GIB = 1 << 30;
    private static final Pattern NUMBER = Pattern.compile("-\\d+$");

    DiskUse {
        bytes = new TreeMap<>(bytes);
    }

    /** Of the processes whose folders, such as {@code bookie-1}, are in this folder. They may run: what they delete meanwhile does not count. */
    static DiskUse of(Path folder) throws IOException {
        Map<String, Long> bytes = new TreeMap<>();
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                Path process = folder.relativize(file).getName(0);
                if (NUMBER.matcher(process.toString()).find()) {
                    bytes.merge(NUMBER.matcher(process.toString()).replaceFirst(""), attributes.size(), Long::sum);
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path gone, IOException failure) {
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path gone, IOException failure) {
                return FileVisitResult.CONTINUE;
            }
        });
        return new DiskUse(bytes);
    }

    /** Of all processes, as people read it. */
    String sum() {
        return String.format(
                Locale.ROOT,
                "%.2f GiB on disk",
                bytes.values().stream().mapToLong(Long::longValue).sum() / GIB);
    }

    /** A row for each kind, beside the size of the entities that all this is for. */
    String table(long entityBytes) {
        StringBuilder table = new StringBuilder(String.format(
                Locale.ROOT,
                "| on the disks of | GiB | times %.2f GiB of entities |%n|---|---|---|%n",
                entityBytes / GIB));
        bytes.forEach((kind, each) -> table.append(
                String.format(Locale.ROOT, "| %s | %.2f | %.2f |%n", kind, each / GIB, each / (double) entityBytes)));
        return table.toString();
    }
}
