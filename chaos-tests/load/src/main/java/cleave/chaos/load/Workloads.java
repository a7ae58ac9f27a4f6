package cleave.chaos.load;

import cleave.chaos.load.workload.Workload;
import cleave.chaos.load.workload.WorkloadFile;
import cleave.deploy.CommandFailure;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** The workloads that commands know by name, and those in files. Stateless. */
public final class Workloads {
    /** The names of the built-in ones, each a file on the class path. */
    static final List<String> NAMES = List.of(
            "get",
            "insert",
            "merge",
            "query",
            "few",
            "page",
            "scan",
            "transaction",
            "mixed",
            "hot-partition",
            "append",
            "prepend",
            "hashed",
            "time-buckets",
            "ycsb-a",
            "ycsb-b",
            "ycsb-c",
            "ycsb-d",
            "ycsb-e",
            "ycsb-f");

    private Workloads() {}

    /** A workload by its name or its file; CommandFailure if there is none, or it is wrong. */
    public static Workload of(String nameOrFile) {
        String name = nameOrFile.toLowerCase(Locale.ROOT);
        return NAMES.contains(name) ? builtIn(name) : inFile(nameOrFile);
    }

    /** One of {@link #NAMES}. */
    public static Workload builtIn(String name) {
        return WorkloadFile.parse(name, name + ".properties", text(name));
    }

    /** The text of a built-in one's file. */
    static String text(String name) {
        try (InputStream in = Workloads.class.getResourceAsStream("workload/" + name + ".properties")) {
            if (in == null) {
                throw new IllegalStateException("the class path lacks the workload " + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private static Workload inFile(String file) {
        Path path = Path.of(file);
        if (!Files.isRegularFile(path)) {
            throw CommandFailure.usage("there is no workload '" + file + "': no such file, and the built-in ones are "
                    + String.join(", ", NAMES));
        }
        try {
            String name = String.valueOf(path.getFileName()).replaceFirst("\\.properties$", "");
            return WorkloadFile.parse(name, file, Files.readString(path));
        } catch (IOException unreadable) {
            throw CommandFailure.usage("the workload " + file + " cannot be read: " + unreadable);
        } catch (IllegalArgumentException wrong) {
            throw CommandFailure.usage(String.valueOf(wrong.getMessage()));
        }
    }
}
