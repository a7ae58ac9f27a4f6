package cleave.exchanges;

import cleave.exchanges.Scene.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/** Headers and bodies that many exchanges share, by name. Immutable. */
record Sets(Map<String, List<String>> lines) {
    static Sets of(List<String> text) {
        Map<String, List<String>> sets = new TreeMap<>();
        List<String> set = new ArrayList<>();
        for (String line : text) {
            if (line.startsWith("@")) {
                set = new ArrayList<>();
                sets.put(line, set);
            } else if (line.startsWith("& ")) {
                set.addAll(Objects.requireNonNull(sets.get(line.substring(2)), line));
            } else if (!line.startsWith("# ")) {
                set.add(line);
            }
        }
        return new Sets(sets);
    }

    /** @param use the name, and perhaps a word for {@code $1} and a text for {@code $2} */
    Message expanded(String use) {
        String[] words = use.split(" ", 3);
        List<String> set = lines.get(words[0]);
        if (set == null) {
            throw new IllegalArgumentException("there is no set " + words[0]);
        }
        List<String> headers = new ArrayList<>();
        List<String> body = new ArrayList<>();
        for (String line : set) {
            String filled = line.replace("$1", words.length > 1 ? words[1] : "")
                    .replace("$2", words.length > 2 ? words[2] : "");
            if (filled.startsWith("|")) {
                body.add(filled.equals("|") ? "" : filled.substring(2));
            } else if (!filled.isEmpty()) {
                headers.add(filled);
            }
        }
        return new Message(headers, String.join("\r\n", body));
    }
}
