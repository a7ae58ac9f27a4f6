package cleave.chaos.bench.peer;

import cleave.deploy.CommandFailure;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The programs of a PostgreSQL server, and how this user may start them: they refuse to run as root. Immutable.
 *
 * @param folder where they are
 * @param prefix of their command lines; empty: they run as this user
 */
record PostgresPrograms(Path folder, List<String> prefix) {
    /** The user that Debian's package makes. */
    static final String USER = "postgres";

    /** Where Debian has a folder for each version. */
    private static final Path DEBIAN = Path.of("/usr/lib/postgresql");

    /** Those on the path, or else the newest of Debian's; CommandFailure if there are none, or none that can be run. */
    static PostgresPrograms found() {
        List<Path> folders = new ArrayList<>();
        Arrays.stream(Optional.ofNullable(System.getenv("PATH")).orElse("").split(File.pathSeparator))
                .filter(entry -> !entry.isEmpty())
                .map(Path::of)
                .forEach(folders::add);
        folders.addAll(ofDebian(DEBIAN));
        boolean isRoot = System.getProperty("user.name").equals("root");
        return new PostgresPrograms(in(folders), isRoot ? unprivileged(folders) : List.of());
    }

    /** The first of these folders that has them. */
    static Path in(List<Path> folders) {
        return folders.stream()
                .filter(folder ->
                        Files.isExecutable(folder.resolve("initdb")) && Files.isExecutable(folder.resolve("postgres")))
                .findFirst()
                .orElseThrow(() -> CommandFailure.failed("there is no PostgreSQL server here: initdb and postgres are"
                        + " neither on the PATH nor in " + DEBIAN + "/*/bin. Debian's package is 'postgresql'"
                        + " (apt install postgresql)"));
    }

    /** The folders of its versions, the newest first. */
    static List<Path> ofDebian(Path parent) {
        List<Path> versions = new ArrayList<>();
        if (Files.isDirectory(parent)) {
            try (DirectoryStream<Path> each = Files.newDirectoryStream(parent, "[0-9]*")) {
                each.forEach(versions::add);
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
        }
        versions.sort(Comparator.comparingInt((Path version) ->
                        Integer.parseInt(String.valueOf(version.getFileName()).replaceFirst("\\D.*", "")))
                .reversed());
        return versions.stream().map(version -> version.resolve("bin")).toList();
    }

    private static List<String> unprivileged(List<Path> folders) {
        Path setpriv = folders.stream()
                .map(folder -> folder.resolve("setpriv"))
                .filter(Files::isExecutable)
                .findFirst()
                .orElseThrow(() -> CommandFailure.failed("PostgreSQL refuses to run as root, and there is no setpriv"
                        + " (Debian: apt install util-linux) to run it as user " + USER));
        return List.of(
                setpriv.toString(), "--reuid=" + USER, "--regid=" + USER, "--clear-groups", "--inh-caps=-all", "--");
    }

    boolean isAsOther() {
        return !prefix.isEmpty();
    }

    /** The command line of a program. */
    List<String> command(String program, List<String> arguments) {
        List<String> command = new ArrayList<>(prefix);
        command.add(folder.resolve(program).toString());
        command.addAll(arguments);
        return command;
    }
}
