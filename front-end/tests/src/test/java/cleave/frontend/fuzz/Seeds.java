package cleave.frontend.fuzz;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The texts to begin with: a resource with one text a line, what is not printable ASCII written as escapes. */
public final class Seeds {
    private Seeds() {}

    public static List<String> of(String name) {
        try (InputStream in = Seeds.class.getResourceAsStream("/fuzz/" + name + ".seeds")) {
            if (in == null) {
                throw new IllegalArgumentException("no seeds for " + name);
            }
            String all = new String(in.readAllBytes(), StandardCharsets.US_ASCII);
            return all.lines()
                    .filter(line -> !line.startsWith("##"))
                    .map(Seeds::unescaped)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String unescaped(String line) {
        StringBuilder text = new StringBuilder(line.length());
        for (int i = 0; i < line.length(); i++) {
            char c = line.charAt(i);
            if (c != '\\') {
                text.append(c);
                continue;
            }
            char kind = line.charAt(++i);
            if (kind == 'u') {
                text.append((char) Integer.parseInt(line.substring(i + 1, i + 5), 16));
                i += 4;
            } else {
                text.append(kind == 'r' ? '\r' : kind == 'n' ? '\n' : kind);
            }
        }
        return text.toString();
    }

    /** The text as it would stand among the seeds. */
    static String escaped(String text) {
        StringBuilder line = new StringBuilder(text.length() + 16);
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '\\' -> line.append("\\\\");
                case '\r' -> line.append("\\r");
                case '\n' -> line.append("\\n");
                default -> {
                    if (c >= ' ' && c < 0x7f) {
                        line.append(c);
                    } else {
                        line.append(String.format("\\u%04x", (int) c));
                    }
                }
            }
        }
        return line.toString();
    }
}
