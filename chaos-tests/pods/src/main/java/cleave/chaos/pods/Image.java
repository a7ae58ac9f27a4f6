package cleave.chaos.pods;

import cleave.chaos.process.ClassArchive;
import cleave.deploy.cluster.Jvm;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Replaces the container image: a root file system with the programs of this machine, the jars of this process, and the
 * command, options and user of {@code deploy/image}. Immutable.
 *
 * @param root the folder that containers see as {@code /}
 */
record Image(Path root) {
    static final String ENTRYPOINT = "/opt/cleave/bin/cleave";

    /** Mount points of pods' volumes, which hide the image's files there. */
    private static final String TEMPORARY = "/tmp";

    private static final String ELSEWHERE = "/opt/cleave/elsewhere";
    private static final String ARCHIVE = "-XX:SharedArchiveFile=";

    /**
     * Builds the file system from mounts that only this process and its children see.
     *
     * @param sources the folder {@code deploy/image}
     * @param resolver the content of {@code /etc/resolv.conf}
     */
    static Image make(Path root, Path sources, String resolver) throws IOException {
        Files.createDirectories(root);
        Jvm jvm = ClassArchive.jvm(root.resolveSibling("classes"));
        Path java = Path.of(System.getProperty("java.home"));
        StringBuilder script = new StringBuilder("umask 022\n"
                + "mount -t tmpfs -o mode=755 image " + root + "\n"
                + "cd " + root + "\n"
                + "mkdir -p etc usr proc dev tmp opt/cleave/bin\n"
                + "for each in bin sbin lib lib32 lib64 libx32; do\n"
                + "    if [ -L /$each ]; then cp -a /$each .\n"
                + "    elif [ -d /$each ]; then mkdir $each; mount --rbind /$each $each; fi\n"
                + "done\n"
                + "mount --rbind /usr usr\n"
                + "mount --rbind /proc proc\n"
                + "mount --rbind /dev dev\n"
                + "for each in /etc/ld.so.* /etc/java-* /etc/alternatives; do [ ! -e $each ] || cp -a $each etc/; done\n"
                + "echo 'root:x:0:0::/:/bin/sh\ncleave:x:10001:10001::/:/bin/sh' > etc/passwd\n"
                + "echo 'root:x:0:\ncleave:x:10001:' > etc/group\n"
                + "echo 'hosts: files dns' > etc/nsswitch.conf\n"
                + "cp " + sources.resolve("cleave") + " opt/cleave/bin/\n"
                + "chmod 755 opt/cleave/bin/cleave\n"
                + "ln -s " + inside(java) + " opt/java\n");
        List<Path> files = new ArrayList<>(List.of(java));
        List<String> classPath = new ArrayList<>();
        for (String entry : jvm.classPath().split(File.pathSeparator)) {
            Path path = Path.of(entry).toAbsolutePath();
            if (Files.exists(path)) {
                files.add(path);
                classPath.add(inside(path));
            }
        }
        for (String flag : jvm.flags()) {
            if (flag.startsWith(ARCHIVE)) {
                files.add(readable(Path.of(flag.substring(ARCHIVE.length())).toAbsolutePath()));
                script.append("ln -s " + inside(files.get(files.size() - 1)) + " opt/cleave/classes.jsa\n");
            }
        }
        files.stream().filter(file -> !file.startsWith("/usr")).forEach(file -> script.append(bound(file)));
        Shell.script(script.toString());
        readable(Files.writeString(root.resolve("etc/resolv.conf"), resolver));
        readable(Files.writeString(root.resolve("etc/hosts"), "127.0.0.1 localhost\n"));
        readable(Files.writeString(
                root.resolve("opt/cleave/jvm"),
                options(sources.resolve("tree")) + "-cp " + String.join(":", classPath) + "\n"));
        return new Image(root);
    }

    /** Readable by everyone, regardless of this process's umask. */
    static Path readable(Path file) throws IOException {
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    }

    /** The path in the image, which is the same because class-data archives name the paths of their jars. */
    private static String inside(Path path) {
        return path.startsWith(TEMPORARY) ? ELSEWHERE + path : path.toString();
    }

    /** Script lines that show a file or folder of this machine in the image. */
    private static String bound(Path path) {
        String inside = inside(path).substring(1);
        String made = Files.isDirectory(path)
                ? "mkdir -p " + inside
                : "mkdir -p " + inside.substring(0, inside.lastIndexOf('/')) + " && touch " + inside;
        return made + " && mount --bind " + path + " " + inside + "\n";
    }

    /** The options of every JVM in the image. */
    private static String options(Path tree) throws IOException {
        List<String> lines = Files.readAllLines(tree);
        int begin = lines.indexOf("cat >\"$app/jvm\" <<END");
        if (begin < 0) {
            throw new IOException(tree + " does not say the options of the image's JVM where they are expected");
        }
        return lines
                .subList(
                        begin + 1,
                        begin + 1 + lines.subList(begin + 1, lines.size()).indexOf("END"))
                .stream()
                .map(line -> (line.equals("$leaves") ? String.join(" ", ClassArchive.nativeAccess()) : line) + "\n")
                .collect(Collectors.joining());
    }
}
