package cleave.deploy.admin;

import java.util.List;
import java.util.Locale;

/** Parts of sentences for operators. Stateless. */
final class Prose {
    private static final int LISTED_MAX = 4;

    private Prose() {}

    /** {@code range 9.0}, {@code ranges 9.0 and 9.1}. */
    static String counted(String noun, List<String> names) {
        return switch (names.size()) {
            case 0 -> "no " + noun;
            case 1 -> noun + " " + names.get(0);
            default -> noun + "s " + list(names);
        };
    }

    /** {@code a, b and c}; of many only the first. */
    static String list(List<String> names) {
        int count = names.size();
        if (count <= 1) {
            return String.join("", names);
        }
        if (count > LISTED_MAX) {
            return String.join(", ", names.subList(0, LISTED_MAX)) + " and " + (count - LISTED_MAX) + " more";
        }
        return String.join(", ", names.subList(0, count - 1)) + " and " + names.get(count - 1);
    }

    /** Who wanted a handoff, and why, as a sentence. */
    static String why(String asker, String reason) {
        return switch (asker) {
            case "operator" -> "Requested by an operator.";
            case "drain" -> "Reason: " + sentence(reason);
            case "balancer" -> "Decided by the balancer: " + sentence(afterTag(reason));
            case "" -> reason.isEmpty() ? "The leader that ordered it is gone." : "Reason: " + sentence(reason);
            default -> "Requested by " + asker + ": " + sentence(reason);
        };
    }

    /** The balancer's reasons begin with a tag for programs: {@code hot: its load exceeds the threshold}. */
    static String afterTag(String reason) {
        int colon = reason.indexOf(": ");
        return colon < 0 ? reason : reason.substring(colon + 2);
    }

    static String sentence(String text) {
        return text.endsWith(".") ? text : text + ".";
    }

    static String capital(String text) {
        return text.isEmpty() ? text : text.substring(0, 1).toUpperCase(Locale.ROOT) + text.substring(1);
    }

    /** Without line breaks and escape sequences, which names of others may contain. */
    static String oneLine(String text) {
        StringBuilder line = new StringBuilder(text.length());
        text.codePoints().forEach(point -> {
            if (point == '\n' || point == '\r' || point == '\t') {
                line.append(' ');
            } else if (Character.isISOControl(point) || Character.getType(point) == Character.FORMAT) {
                line.append(String.format(Locale.ROOT, "\\u%04x", point));
            } else {
                line.appendCodePoint(point);
            }
        });
        return line.toString();
    }
}
