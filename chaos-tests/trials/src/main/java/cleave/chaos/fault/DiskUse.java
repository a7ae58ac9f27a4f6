package cleave.chaos.fault;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * How many bytes the processes of a cluster have on disk. Immutable.
 *
 * @param bytes of all processes of each kind, such as {@code bookie}
 */
record DiskUse(Map<String, Long> bytes) {
    private static final double GIB = 1 << 30;
    private static final Pattern NAME = Pattern.compile("(.+)-\\d+");

    DiskUse {
        bytes = new TreeMap<>(bytes);
    }

    /**
     * The use by the processes whose folders, such as {@code bookie-1}, are in this folder. They may run: files that they delete
     * meanwhile do not count.
     */
    static DiskUse of(Path folder) throws IOException {
        Map<String, Long> bytes = new TreeMap<>();
        try (Stream<Path> processes = Files.list(folder)) {
            processes.forEach(process -> {
                Matcher name = NAME.matcher(process.getFileName().toString());
                if (name.matches()) {
                    bytes.merge(name.group(1), bytes(process.toFile()), Long::sum);
                }
            });
        }
        return new DiskUse(bytes);
    }

    private static long bytes(File file) {
        File[] inside = file.listFiles();
        return inside == null
                ? file.length()
                : Stream.of(inside).mapToLong(DiskUse::bytes).sum();
    }

    /** The use by all processes, as people read it. */
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
