package cleave.exchanges;

import cleave.exchanges.Scene.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Headers and bodies that many exchanges share, by name, and that may name each other. Immutable. */
record Sets(Map<String, List<String>> lines) {
    static Sets of(List<String> text) {
        Map<String, List<String>> sets = new TreeMap<>();
        @Nullable List<String> set = null;
        for (String line : text) {
            if (line.isEmpty()) {
                set = null;
            } else if (set == null && line.startsWith("@")) {
                set = new ArrayList<>();
                sets.put(line, set);
            } else if (set != null) {
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
            if (filled.startsWith("@")) {
                Message other = expanded(filled);
                headers.addAll(other.headers());
                body.addAll(other.body().isEmpty() ? List.of() : List.of(other.body()));
            } else if (filled.startsWith("|")) {
                body.add(filled.equals("|") ? "" : filled.substring(2));
            } else {
                headers.add(filled);
            }
        }
        return new Message(headers, String.join("\r\n", body));
    }
}
