package cleave.deploy.cluster;

import cleave.runtime.files.PrivateFiles;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The JVMs of Cleave's processes on this machine: this process' Java, each with its own folder for temporary files and a limit on its heap.
 * Immutable.
 *
 * @param isDetached survives the end of the terminal
 */
public record Jvm(String classPath, List<String> flags, boolean isDetached) {
    private static final Map<NodeId.Role, String> HEAPS = Map.of(
            NodeId.Role.ZOOKEEPER, "96m",
            NodeId.Role.BOOKIE, "160m",
            NodeId.Role.AUTORECOVERY, "96m",
            NodeId.Role.DFS, "512m",
            NodeId.Role.MASTER, "512m",
            NodeId.Role.SERVER, "1g",
            NodeId.Role.FRONT_END, "1g",
            NodeId.Role.BOARD, "256m");

    private static final String NODE = "cleave.node";

    /** Detached, with the class path and flags of this process; a board, which may start others again, does not pass its small heap on. */
    static Jvm ofThisProcess() {
        boolean isBoard = System.getProperty(NODE, "").startsWith(NodeId.Role.BOARD.word());
        List<String> flags = new ArrayList<>();
        for (String flag : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
            boolean isHeapOfBoard = isBoard && flag.equals("-Xmx" + HEAPS.get(NodeId.Role.BOARD));
            if ((flag.startsWith("-X") && !isHeapOfBoard)
                    || flag.startsWith("--enable-native")
                    || flag.startsWith("--sun-misc")) {
                flags.add(flag);
            }
        }
        return new Jvm(absolute(System.getProperty("java.class.path")), List.copyOf(flags), true);
    }

    private static String absolute(String classPath) {
        List<String> entries = new ArrayList<>();
        for (String entry : classPath.split(File.pathSeparator)) {
            entries.add(Path.of(entry).toAbsolutePath().toString());
        }
        return String.join(File.pathSeparator, entries);
    }

    /** The JVM for a role of BookKeeper, whose processes are as small as they can be, whatever the flags of Cleave's. */
    Jvm ofBookKeeper(NodeId.Role role) {
        List<String> own = new ArrayList<>(flags.stream()
                .filter(flag -> !flag.matches("-Xm[sx].*|-XX:MaxDirectMemorySize=.*|-XX:\\+Use[A-Za-z0-9]*GC"))
                .toList());
        own.addAll(List.of(
                "-XX:+UseSerialGC",
                "-Xss512k",
                "-Xmx" + HEAPS.get(role),
                "-XX:MaxDirectMemorySize=160m",
                "-Dio.netty.allocator.numDirectArenas=1",
                "-Dio.netty.leakDetection.level=disabled",
                "-Dzookeeper.jmx.log4j.disable=true",
                "-DCLEAVE_BOOKKEEPER_LOG=INFO"));
        return new Jvm(EngineJars.addTo(classPath), own, isDetached);
    }

    /** The same, ended with the terminal. */
    Jvm attached() {
        return new Jvm(classPath, flags, false);
    }

    /** Finds the client of BookKeeper, too. */
    Jvm withBookKeeper() {
        return new Jvm(EngineJars.addTo(classPath), flags, isDetached);
    }

    /** The heap of a role, unless the flags set one. */
    Jvm withHeapOf(NodeId.Role role) {
        return flags.stream().anyMatch(flag -> flag.startsWith("-Xmx")) ? this : with("-Xmx" + HEAPS.get(role));
    }

    public Jvm with(String... more) {
        return new Jvm(classPath, Stream.concat(flags.stream(), Stream.of(more)).toList(), isDetached);
    }

    static String executable() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    /** Writes options that do not fit well on a command line to the node's folder, and returns the file. */
    Path writeArguments(Path folder, String name) {
        List<String> arguments = new ArrayList<>(flags);
        Path temporary = folder.resolve("tmp");
        arguments.add("-Djava.io.tmpdir=" + temporary);
        arguments.add("-D" + NODE + "=" + name);
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
            EngineTool.remove(
                    temporary); // A killed process leaves something behind, such as the native library that it
            // unpacked.
            PrivateFiles.make(temporary);
            return PrivateFiles.write(file, text.toString());
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
