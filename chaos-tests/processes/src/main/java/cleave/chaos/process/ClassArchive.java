package cleave.chaos.process;

import cleave.deploy.Cleave;
import cleave.deploy.CommandFailure;
import cleave.deploy.cluster.Jvm;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.lang.management.ManagementFactory;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The JVMs of processes under test: what is on their class path, and an archive of its classes, which halves what the start of a process
 * computes. Stateless. Children of {@code ./cleave} have its class path and its archive. Children of a build's tests (those that name the
 * build by the system property {@value #PROPERTY}) run on the jars that it packaged, as a service does; their archive is made by the first
 * JVM that needs it, while others wait.
 */
public final class ClassArchive {
    private static final String PROPERTY = "cleave.build";
    private static final long SECONDS_MAX = 600;
    private static final String LIBRARIES_OF_ROLES = "deploy/target/lib";

    private static final List<String> FOLDERS = List.of(
            "deploy/target",
            LIBRARIES_OF_ROLES,
            "dfs-stub/bookkeeper/target",
            "dfs-stub/bookkeeper/target/lib",
            "dfs-stub/bookkeeper/target/engine");
    /** From this Java on, an archive holds classes that are linked already, which saves as much again. */
    private static final int AHEAD_OF_TIME = 25;

    private static final int WARNS_OF_NATIVE_ACCESS = 24;

    private ClassArchive() {}

    /** A JVM with these options that finds the classes of all roles. */
    public static Jvm jvm(List<String> options) {
        String build = System.getProperty(PROPERTY, "");
        if (build.isEmpty()) {
            return sameClassPath(options);
        }
        try {
            Path root = Path.of(build).toAbsolutePath().normalize();
            return archived(options, jarsOf(root), root.resolve("chaos-tests/target/classes"));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** A JVM that finds the classes of all roles, in an archive that begins with this path unless this process or its build has one. */
    public static Jvm jvm(Path otherwise) {
        String whole = System.getProperty("java.class.path");
        boolean isPackaged = String.valueOf(
                        Cleave.class.getProtectionDomain().getCodeSource().getLocation())
                .endsWith(".jar");
        if (!isPackaged || !System.getProperty(PROPERTY, "").isEmpty()) {
            return jvm(List.of());
        }
        String jars = Stream.of(whole.split(File.pathSeparator))
                .filter(entry -> entry.endsWith(".jar"))
                .collect(Collectors.joining(File.pathSeparator));
        try {
            return archived(List.of(), jars, otherwise);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** A JVM with these options that finds all that this process finds. */
    public static Jvm sameClassPath(List<String> options) {
        return new Jvm(System.getProperty("java.class.path"), options, false).with(ofThisProcess());
    }

    private static Jvm archived(List<String> options, String jars, Path prefix) throws IOException {
        Path archive = Path.of(prefix + "-" + Integer.toHexString(key(jars)) + ".jsa");
        make(archive, jars);
        return new Jvm(jars, options, false).with(using("-XX:SharedArchiveFile=" + archive));
    }

    /** The options with which this process uses the launcher's archive; none if it does without. */
    private static String[] ofThisProcess() {
        return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(option -> option.startsWith("-XX:AOTCache=") || option.startsWith("-XX:SharedArchiveFile="))
                .findFirst()
                .map(ClassArchive::using)
                .orElse(new String[0]);
    }

    /** An archive that does not fit is done without, and says so. */
    private static String[] using(String archive) {
        return Stream.concat(Stream.of(archive, "-Xlog:disable", "-Xlog:all=warning:stderr"), nativeAccess().stream())
                .toArray(String[]::new);
    }

    /**
     * The options without which newer versions of Java warn of native libraries and Netty's memory. An archive fits a JVM only if both, or
     * neither, have them.
     */
    public static List<String> nativeAccess() {
        return Runtime.version().feature() < WARNS_OF_NATIVE_ACCESS
                ? List.of()
                : List.of("--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow");
    }

    /** A JVM with these options and this class path. */
    static Jvm jvm(List<String> options, String classPath) {
        return classPath.isEmpty() ? jvm(options) : new Jvm(classPath, options, false);
    }

    /**
     * The class path of the roles, with BookKeeper if it was built, in a build's folder; CommandFailure if the roles are not packaged there.
     */
    static String jarsOf(Path build) throws IOException {
        SortedMap<String, Path> jars = new TreeMap<>(); // By name: several modules bring the same libraries.
        Path root = build.toAbsolutePath();
        if (!Files.isDirectory(root.resolve(LIBRARIES_OF_ROLES))) {
            throw CommandFailure.failed("nothing is built in " + build + "; call ./cleave --version there first");
        }
        for (Path folder :
                FOLDERS.stream().map(root::resolve).filter(Files::isDirectory).toList()) {
            try (Stream<Path> files = Files.list(folder)) {
                files.filter(file -> file.toString().endsWith(".jar")
                                && !file.toString().endsWith("-tests.jar"))
                        .forEach(file -> jars.putIfAbsent(String.valueOf(file.getFileName()), file));
            }
        }
        return jars.values().stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
    }

    /** An archive fits one Java and one version of each jar. */
    private static int key(String jars) throws IOException {
        int key = 31 * Runtime.version().feature() + jars.hashCode();
        for (String jar : jars.split(File.pathSeparator)) {
            key = 31 * key + Files.getLastModifiedTime(Path.of(jar)).hashCode();
        }
        return key;
    }

    private static void make(Path archive, String jars) throws IOException {
        if (Files.exists(archive)) {
            return;
        }
        Files.createDirectories(Objects.requireNonNull(archive.toAbsolutePath().getParent()));
        Path lock = archive.resolveSibling(archive.getFileName() + ".lock");
        try (FileChannel channel = FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock held = channel.lock()) {
            if (held.isValid() && !Files.exists(archive)) {
                Path made = archive.resolveSibling(archive.getFileName() + ".tmp");
                run(made, jars);
                Files.move(made, archive, StandardCopyOption.ATOMIC_MOVE);
            }
        }
    }

    private static void run(Path archive, String jars) throws IOException {
        List<String> command = new ArrayList<>(nativeAccess());
        command.add(0, Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(
                (Runtime.version().feature() >= AHEAD_OF_TIME ? "-XX:AOTCacheOutput=" : "-XX:ArchiveClassesAtExit=")
                        + archive,
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xlog:disable",
                "-cp",
                jars,
                Cleave.class.getName(),
                "warm-up"));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(Redirect.to(new File(archive + ".log")))
                .start();
        try {
            if (!process.waitFor(SECONDS_MAX, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            } else if (process.exitValue() == 0 && Files.exists(archive)) {
                return;
            }
        } catch (InterruptedException interrupted) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        throw new IOException("no class-data archive was made; see " + archive + ".log");
    }
}
