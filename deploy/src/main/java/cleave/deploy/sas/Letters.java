package cleave.deploy.sas;

import cleave.deploy.CommandFailure;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The letters that a field of a signature consists of. Immutable.
 *
 * @param option of the command, for errors
 * @param meanings of each letter, in the order that the protocol asks for
 */
record Letters(String option, Map<String, String> meanings) {
    static final Letters OF_TABLE = of("--permissions", "r", "query", "a", "insert", "u", "update", "d", "delete");

    static final Letters OF_ACCOUNT = of(
            "--permissions",
            "r",
            "read",
            "w",
            "write",
            "d",
            "delete",
            "l",
            "list",
            "a",
            "insert (add)",
            "c",
            "create",
            "u",
            "update");

    static final Letters OF_RESOURCE_TYPES = of("--resource-types", "s", "service", "c", "tables", "o", "entities");

    static final Letters OF_SERVICES = of("", "b", "blobs", "q", "queues", "t", "tables", "f", "files");

    private static Letters of(String option, String... lettersAndMeanings) {
        Map<String, String> meanings = new LinkedHashMap<>();
        for (int i = 0; i < lettersAndMeanings.length; i += 2) {
            meanings.put(lettersAndMeanings[i], lettersAndMeanings[i + 1]);
        }
        return new Letters(option, Collections.unmodifiableMap(meanings));
    }

    /** The given letters, each once, in the protocol's order. */
    String normalized(String given) {
        for (String letter : given.split("")) {
            if (!meanings.containsKey(letter)) {
                throw CommandFailure.usage(option + " is '" + given + "' but must be letters of " + legend());
            }
        }
        StringBuilder normalized = new StringBuilder();
        meanings.keySet().stream().filter(given::contains).forEach(normalized::append);
        return normalized.toString();
    }

    /** {@code r (query), a (insert)}. */
    String legend() {
        StringBuilder legend = new StringBuilder();
        meanings.forEach((letter, meaning) -> legend.append(legend.isEmpty() ? "" : ", ")
                .append(letter)
                .append(" (")
                .append(meaning)
                .append(')'));
        return legend.toString();
    }

    /** The meaning of a signature's letters; those without one are shown as well. */
    String inWords(String letters) {
        if (letters.isEmpty()) {
            return "nothing";
        }
        StringBuilder words = new StringBuilder();
        for (String letter : letters.split("")) {
            String meaning = meanings.getOrDefault(letter, letter + " (no effect on tables)");
            words.append(words.isEmpty() ? "" : ", ").append(meaning);
        }
        return words.toString();
    }
}
