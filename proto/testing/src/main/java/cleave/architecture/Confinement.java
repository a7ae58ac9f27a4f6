package cleave.architecture;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A class that says it is confined to a loop, and knows that loop, checks it at its entries with {@code assertInside}. A class that says so
 * in its comment but knows no loop (a policy, a state) is checked by its callers. The rule reads the sources, for comments are not in class
 * files.
 */
public final class Confinement {
    private static final Pattern CLAIM =
            Pattern.compile("onfined to (the|its|that|a)\\b[^.;]{0,30}\\bloop\\b|is confined to that");

    private static final Pattern KNOWS_A_LOOP = Pattern.compile("\\bEventLoop\\b(?![.;])|\\bloop\\(\\)");

    private Confinement() {}

    /** The sources below a module's folder, as Maven's tests see it, that claim to be confined and never check it. */
    public static List<String> unchecked(Path sources) throws IOException {
        try (Stream<Path> files = Files.walk(sources)) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .filter(file -> isUnchecked(read(file)))
                    .map(file -> sources.relativize(file).toString())
                    .sorted()
                    .toList();
        }
    }

    static boolean isUnchecked(String source) {
        return CLAIM.matcher(comments(source)).find()
                && KNOWS_A_LOOP.matcher(source).find()
                && !source.contains(".assertInside();");
    }

    /** Their text, in one line. */
    private static String comments(String source) {
        StringBuilder all = new StringBuilder();
        Matcher comment = Pattern.compile("/\\*\\*.*?\\*/", Pattern.DOTALL).matcher(source);
        while (comment.find()) {
            all.append(comment.group().replaceAll("\\s*\n\\s*\\*?\\s*", " ")).append('\n');
        }
        return all.toString();
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException failure) {
            throw new AssertionError(file + " cannot be read", failure);
        }
    }
}
