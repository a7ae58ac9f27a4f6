package cleave.chaos.lab;

import cleave.deploy.CommandFailure;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** All labs, in the order of the course, which is that of the links in docs/labs/README.md. */
public final class Labs {
    private static final Pattern LINK = Pattern.compile("\\]\\((\\d\\d-[a-z0-9-]+\\.md)\\)");
    /** Characters before the name of a page. */
    private static final int NUMBER = 3;

    private Labs() {}

    public static List<Lab> all() {
        return files().stream().map(Labs::inCourse).toList();
    }

    private static List<String> files() {
        return LINK.matcher(resource("README.md"))
                .results()
                .map(link -> link.group(1))
                .toList();
    }

    private static Lab inCourse(String file) {
        return LabPage.read(file, resource(file));
    }

    private static String resource(String file) {
        try (InputStream in = Labs.class.getResourceAsStream("/docs/labs/" + file)) {
            return new String(Objects.requireNonNull(in, file).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    /** The lab of that name, or the one of a page that is no part of the course. */
    static Lab named(String name) {
        if (name.endsWith(".md")) {
            return inFile(Path.of(name));
        }
        return files().stream()
                .filter(file -> file.substring(NUMBER).equals(name + ".md"))
                .findFirst()
                .map(Labs::inCourse)
                .orElseThrow(() -> CommandFailure.usage("there is no lab '" + name + "'; there are "
                        + files().stream()
                                .map(file -> file.substring(NUMBER, file.length() - 3))
                                .collect(Collectors.joining(", "))
                        + ", and a page of your own by its path, such as my-lab.md"));
    }

    private static Lab inFile(Path page) {
        try {
            return LabPage.read(page.toString(), Files.readString(page));
        } catch (IOException unreadable) {
            throw CommandFailure.usage("the page " + page + " cannot be read: " + unreadable);
        }
    }
}
