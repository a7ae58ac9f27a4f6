package cleave.chaos.process;

import cleave.deploy.Cleave;
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
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * An archive of Cleave's loaded classes, which halves what the start of a process computes; {@code ./cleave} makes one for people in
 * the same way, and what they start uses theirs. Stateless. Used if the system property {@value #PROPERTY} (or the caller) names its file and
 * all of Cleave is in jars, which the JVM demands; made by the first JVM that needs it, while others wait.
 */
public final class ClassArchive {
    private static final String PROPERTY = "cleave.class-archive";
    private static final long SECONDS_MAX = 600;
    /** From this Java on, an archive holds classes that are linked already, which saves as much again. */
    private static final int AHEAD_OF_TIME = 25;

    private static final int WARNS_OF_NATIVE_ACCESS = 24;

    private ClassArchive() {}

    /** A JVM with these options that finds Cleave's classes. */
    public static Jvm jvm(List<String> options) {
        return archived(options, System.getProperty(PROPERTY, ""));
    }

    /** A JVM that finds Cleave's classes, in an archive that begins with this path unless the property names another. */
    public static Jvm jvm(Path otherwise) {
        return archived(List.of(), System.getProperty(PROPERTY, otherwise.toString()));
    }

    private static Jvm archived(List<String> options, String file) {
        String whole = System.getProperty("java.class.path");
        String cleave = String.valueOf(
                Cleave.class.getProtectionDomain().getCodeSource().getLocation());
        if (file.isEmpty() || !cleave.endsWith(".jar")) {
            return new Jvm(whole, options, false).with(ofThisProcess());
        }
        String jars = Stream.of(whole.split(File.pathSeparator))
                .filter(entry -> entry.endsWith(".jar"))
                .collect(Collectors.joining(File.pathSeparator));
        try {
            Path archive = Path.of(file + "-" + Integer.toHexString(key(jars)) + ".jsa");
            make(archive, jars);
            return new Jvm(jars, options, false).with(using("-XX:SharedArchiveFile=" + archive));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
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

    /** The class path of a build in another folder; IOException if there is none. */
    static String jarsOf(Path build) throws IOException {
        List<String> jars = new ArrayList<>();
        for (String folder : List.of("deploy/target", "deploy/target/lib")) {
            try (Stream<Path> files = Files.list(build.toAbsolutePath().resolve(folder))) {
                files.map(Path::toString)
                        .filter(file -> file.endsWith(".jar") && !file.endsWith("-tests.jar"))
                        .sorted()
                        .forEach(jars::add);
            }
        }
        return String.join(File.pathSeparator, jars);
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
