package cleave.chaos.picture;

import java.util.ArrayList;
import java.util.List;

/** Text of pictures. Pure. */
final class Text {
    private Text() {}

    /** Lines of at most this many characters, unless a word is longer. */
    static List<String> wrapped(String text, int charactersMax) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        for (String word : text.split(" ")) {
            if (!line.isEmpty() && line.length() + 1 + word.length() > charactersMax) {
                lines.add(line.toString());
                line.setLength(0);
            }
            line.append(line.isEmpty() ? "" : " ").append(word);
        }
        lines.add(line.toString());
        return lines;
    }
}
