package cleave.wire;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What has fields, each with all of them behind a colon; lines that begin with a blank continue the one before. */
final class FieldLists {
    private static final int WIDTH = 120;

    private FieldLists() {}

    static String written(String owner, List<String> fields) {
        StringBuilder text = new StringBuilder(owner).append(':');
        int width = text.length();
        for (int i = 0; i < fields.size(); i++) {
            String field = " " + fields.get(i) + (i < fields.size() - 1 ? "," : "");
            if (width + field.length() > WIDTH) {
                text.append("\n   ");
                width = 3;
            }
            text.append(field);
            width += field.length();
        }
        return text.toString();
    }

    /** The fields by their owners, in the order of the file. */
    static Map<String, List<String>> read(String text) {
        Map<String, List<String>> lists = new LinkedHashMap<>();
        text.replace("\n    ", " ").lines().forEach(line -> {
            String[] parts = line.split(": ", 2);
            lists.put(parts[0], List.of(parts[1].split(", ")));
        });
        return lists;
    }
}
