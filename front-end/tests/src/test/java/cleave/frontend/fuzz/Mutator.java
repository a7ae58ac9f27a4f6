package cleave.frontend.fuzz;

import java.util.List;
import java.util.Random;

/** Makes texts of texts, as broken and hostile clients do. Confined to one run; the same random numbers make the same texts. */
final class Mutator {
    static final int LENGTH_MAX = 4 * 1024;

    private static final String ODD =
            "\0\t\n\r '\"\\%+&=#?/()[]{},:;.-_*$@~!<>0129azAZ\u007f\u0080\u009f\u00a0\u00ff\u0130\u2028\u20ac\ud83d"
                    + "\ude00\ufeff\ufffd\uffff";

    private final Random random;
    private final List<String> words;

    /** @param words that mean something in the language */
    Mutator(Random random, List<String> words) {
        this.random = random;
        this.words = words;
    }

    /** @param other a text of which pieces are taken */
    String mutated(String text, String other) {
        String changed = text;
        for (int step = random.nextInt(4); step >= 0; step--) {
            changed = step(changed, other);
        }
        return changed.length() > LENGTH_MAX ? changed.substring(0, LENGTH_MAX) : changed;
    }

    private String step(String text, String other) {
        int from = random.nextInt(text.length() + 1);
        int to = Math.min(text.length(), from + random.nextInt(random.nextInt(4) == 0 ? text.length() + 1 : 9));
        String before = text.substring(0, from);
        String piece = text.substring(from, to);
        String behind = text.substring(to);
        return switch (random.nextInt(9)) {
            case 0 -> before + behind;
            case 1 -> before + piece + piece + behind;
            case 2 -> before + word() + behind;
            case 3 -> before + word() + piece + behind;
            case 4 -> before + odd() + piece + behind;
            case 5 -> before + odd() + behind;
            case 6 -> before + pieceOf(other) + behind;
            case 7 -> before + piece.repeat(1 + random.nextInt(random.nextInt(20) == 0 ? 400 : 8)) + behind;
            default -> before + new StringBuilder(piece).reverse() + behind;
        };
    }

    private String word() {
        return words.get(random.nextInt(words.size()));
    }

    private char odd() {
        return random.nextInt(8) == 0 ? (char) random.nextInt(0x10000) : ODD.charAt(random.nextInt(ODD.length()));
    }

    private String pieceOf(String other) {
        int from = random.nextInt(other.length() + 1);
        return other.substring(from, from + random.nextInt(other.length() - from + 1));
    }
}
