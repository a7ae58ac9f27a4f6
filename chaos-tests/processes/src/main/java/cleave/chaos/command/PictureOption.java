package cleave.chaos.command;

import cleave.deploy.CommandFailure;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where a command writes the picture of its run. Confined to its command. */
public final class PictureOption {
    @Option(names = "--picture", paramLabel = "FILE", description = "the SVG to write (default: picture.svg in DIR)")
    private @Nullable Path picture;

    /**
     * The file, asked for before a run that may take long.
     *
     * @param folder of the run, in which the picture stays
     */
    public Path in(RunFolder folder) {
        Path file = picture == null ? folder.path().resolve("picture.svg") : picture.toAbsolutePath();
        Path parent = file.getParent();
        if (Files.isDirectory(file) || parent == null || !Files.isDirectory(parent)) {
            throw CommandFailure.usage("--picture must name a file in a folder that exists: "
                    + (Files.isDirectory(file) ? file + " is a folder" : "there is no folder " + parent));
        }
        folder.result(file);
        return file;
    }

    /** Writes it, and returns the line that says where it is. */
    public static String write(Path file, String svg) throws IOException {
        Files.writeString(file, svg, StandardCharsets.UTF_8);
        return "The picture is " + file + "\n";
    }
}
