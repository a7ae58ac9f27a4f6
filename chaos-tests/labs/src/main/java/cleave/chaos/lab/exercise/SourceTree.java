package cleave.chaos.lab.exercise;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The sources of Cleave in a folder: a checkout, or an unpacked archive. Immutable.
 *
 * @param root the folder with the {@code pom.xml} of all modules
 */
record SourceTree(Path root) {
    /** What builds, tools and runs make. */
    private static final Set<String> MADE =
            Set.of("target", ".git", ".cleave", ".idea", ".vscode", ".settings", "node_modules", "cleave-data");

    /** The sources that a path lies in; null if it lies in none. */
    static @Nullable SourceTree around(Path path) {
        for (Path each = path.toAbsolutePath().normalize(); each != null; each = each.getParent()) {
            if (Files.isRegularFile(each.resolve("pom.xml"))
                    && Files.isDirectory(each.resolve("partition-server/src/main/java"))
                    && Files.isDirectory(each.resolve("chaos-tests/simulator/src/main/java"))) {
                return new SourceTree(each);
            }
        }
        return null;
    }

    /** The sources that this program was built in; null if it runs without them, as in an image. */
    static @Nullable SourceTree ofThisProgram() {
        try {
            return around(Path.of(SourceTree.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI()));
        } catch (URISyntaxException notAFile) {
            return null;
        }
    }

    /** The files that belong to the sources, from the root: those that git tracks or, without git, all but what builds make. */
    SortedSet<String> files() throws IOException {
        if (Files.exists(root.resolve(".git"))) {
            SortedSet<String> tracked = tracked();
            if (!tracked.isEmpty()) {
                return tracked;
            }
        }
        return present();
    }

    /** Empty if git is missing or does not answer for this folder. */
    private SortedSet<String> tracked() throws IOException {
        SortedSet<String> tracked = new TreeSet<>();
        Process git;
        try {
            git = new ProcessBuilder("git", "-C", root.toString(), "ls-files", "-z")
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException noGit) {
            return tracked;
        }
        git.getOutputStream().close();
        String printed = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        for (String file : printed.split("\0")) {
            if (!file.isEmpty() && Files.isRegularFile(root.resolve(file))) {
                tracked.add(file);
            }
        }
        return tracked;
    }

    /** All files but what builds make. */
    SortedSet<String> present() throws IOException {
        SortedSet<String> present = new TreeSet<>();
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                boolean isMade = MADE.contains(String.valueOf(folder.getFileName())) && !folder.equals(root);
                return isMade ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (attributes.isRegularFile()) {
                    present.add(root.relativize(file).toString().replace('\\', '/'));
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return present;
    }
}
