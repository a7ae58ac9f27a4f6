package cleave.deploy.cluster;

import cleave.runtime.files.PrivateFiles;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * How the processes of a cluster run: with this process' Java, class path and flags, each with its own folder for temporary
 * files and a bound on its heap. Immutable.
 *
 * @param flags of this process, as far as they hold for the others
 * @param heaps {@code -Xmx} by role, unless the flags say one
 */
record Jvm(String executable, String classPath, List<String> flags, Map<NodeId.Role, String> heaps) {
    private static final Map<NodeId.Role, String> HEAPS = Map.of(
            NodeId.Role.DFS, "512m",
            NodeId.Role.MASTER, "512m",
            NodeId.Role.SERVER, "1g",
            NodeId.Role.FRONT_END, "1g");

    static Jvm ofThisProcess() {
        List<String> flags = new ArrayList<>();
        for (String flag : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
            if (flag.startsWith("-X") || flag.startsWith("--enable-native") || flag.startsWith("--sun-misc")) {
                flags.add(flag);
            }
        }
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        return new Jvm(java, absolute(System.getProperty("java.class.path")), List.copyOf(flags), HEAPS);
    }

    private static String absolute(String classPath) {
        List<String> entries = new ArrayList<>();
        for (String entry : classPath.split(File.pathSeparator)) {
            entries.add(Path.of(entry).toAbsolutePath().toString());
        }
        return String.join(File.pathSeparator, entries);
    }

    /** Writes what does not fit well on a command line to the node's folder, and returns the file. */
    Path writeArguments(Path folder, NodeId node) {
        List<String> arguments = new ArrayList<>(flags);
        if (flags.stream().noneMatch(flag -> flag.startsWith("-Xmx"))) {
            arguments.add("-Xmx" + heaps.get(node.role()));
        }
        Path temporary = folder.resolve("tmp");
        arguments.add("-Djava.io.tmpdir=" + temporary);
        arguments.add("-Dcleave.node=" + node);
        arguments.add("-cp");
        arguments.add(classPath);
        StringBuilder text = new StringBuilder();
        for (String argument : arguments) {
            text.append('"')
                    .append(argument.replace("\\", "\\\\").replace("\"", "\\\""))
                    .append("\"\n");
        }
        Path file = folder.resolve("java.args");
        try {
            empty(temporary);
            PrivateFiles.make(temporary);
            return PrivateFiles.write(file, text.toString());
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** What a killed process left behind, such as the native library that it unpacked. */
    private static void empty(Path temporary) throws IOException {
        if (!Files.isDirectory(temporary)) {
            return;
        }
        List<Path> found;
        try (var walk = Files.walk(temporary)) {
            found = new ArrayList<>(walk.toList());
        }
        for (int i = found.size() - 1; i > 0; i--) {
            Files.deleteIfExists(found.get(i));
        }
    }
}
