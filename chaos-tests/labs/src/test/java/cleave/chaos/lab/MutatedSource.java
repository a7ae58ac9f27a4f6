package cleave.chaos.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** A source file that a reader of a lab or an exercise has changed, compiled against everything else as it is. Stateless. */
public final class MutatedSource {
    private MutatedSource() {}

    /** Compiles this text of a file, and returns the folder of its classes. */
    public static Path compiled(String fileName, String text, Path folder) throws IOException {
        Path given = Files.writeString(folder.resolve(fileName), text);
        Path classes = Files.createDirectories(folder.resolve("classes"));
        StringWriter errors = new StringWriter();
        try (StandardJavaFileManager files = ToolProvider.getSystemJavaCompiler()
                .getStandardFileManager(null, Locale.ROOT, StandardCharsets.UTF_8)) {
            List<String> options = List.of(
                    "-d", classes.toString(), "-cp", System.getProperty("java.class.path"), "-proc:none", "-nowarn");
            boolean isCompiled = ToolProvider.getSystemJavaCompiler()
                    .getTask(errors, files, null, options, null, files.getJavaFileObjects(given))
                    .call();
            assertThat(isCompiled).as("%s compiles: %s", fileName, errors).isTrue();
        }
        return classes;
    }
}
