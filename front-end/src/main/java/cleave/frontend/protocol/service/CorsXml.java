package cleave.frontend.protocol.service;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Reads and writes the element of the CORS rules. Confined to one parse. */
final class CorsXml {
    static final String NAME = "Cors";

    private static final String RULE = "CorsRule";
    private static final String METHODS = "AllowedMethods";
    private static final String ORIGINS = "AllowedOrigins";
    private static final String ALLOWED = "AllowedHeaders";
    private static final String EXPOSED = "ExposedHeaders";
    private static final String MAX_AGE = "MaxAgeInSeconds";
    private static final Set<String> ELEMENTS = Set.of(METHODS, ORIGINS, ALLOWED, EXPOSED, MAX_AGE);

    private static final int RULES_MAX = 5;
    private static final int ORIGINS_MAX = 64;
    private static final int NAMES_MAX = 64;
    private static final int PREFIXES_MAX = 2;
    private static final int ENTRY_CHARS_MAX = 256;
    /** The length of the texts of all rules together. */
    private static final int CHARS_MAX = 2048;

    private static final Set<String> VERBS =
            Set.of("DELETE", "GET", "HEAD", "MERGE", "OPTIONS", "PATCH", "POST", "PUT");

    private int chars;

    /** Reads the rules; the reader is at their element. */
    static List<CorsRule> read(XmlReader xml) {
        CorsXml reader = new CorsXml();
        List<CorsRule> rules = new ArrayList<>();
        for (String name = xml.child(); name != null; name = xml.child()) {
            if (!name.equals(RULE) || rules.size() == RULES_MAX) {
                throw XmlReader.malformed();
            }
            rules.add(reader.rule(xml));
        }
        return rules;
    }

    private CorsRule rule(XmlReader xml) {
        List<String> methods = List.of();
        List<String> origins = List.of();
        List<String> allowed = List.of();
        List<String> exposed = List.of();
        int maxAge = 0;
        Set<String> seen = new HashSet<>();
        for (String name = xml.childOnce(seen); name != null; name = xml.childOnce(seen)) {
            switch (name) {
                case METHODS -> methods = methods(entries(xml));
                case ORIGINS -> origins = origins(entries(xml));
                case ALLOWED -> allowed = headers(entries(xml));
                case EXPOSED -> exposed = headers(entries(xml));
                case MAX_AGE -> maxAge = XmlReader.number(text(xml));
                default -> throw XmlReader.malformed();
            }
        }
        if (!seen.equals(ELEMENTS)) {
            throw XmlReader.malformed();
        }
        return new CorsRule(origins, methods, allowed, exposed, maxAge);
    }

    private String text(XmlReader xml) {
        String text = xml.text();
        chars += text.length();
        if (chars > CHARS_MAX) {
            throw XmlReader.malformed();
        }
        return text.strip();
    }

    private List<String> entries(XmlReader xml) {
        List<String> entries = new ArrayList<>();
        for (String entry : text(xml).split(",")) {
            String stripped = entry.strip();
            if (stripped.length() > ENTRY_CHARS_MAX) {
                throw XmlReader.malformed();
            }
            if (!stripped.isEmpty()) {
                entries.add(stripped);
            }
        }
        return entries;
    }

    private static List<String> methods(List<String> entries) {
        List<String> methods =
                entries.stream().map(entry -> entry.toUpperCase(Locale.ROOT)).toList();
        if (methods.isEmpty() || !VERBS.containsAll(methods)) {
            throw XmlReader.badValue();
        }
        return methods;
    }

    private static List<String> origins(List<String> entries) {
        if (entries.isEmpty()) {
            throw XmlReader.badValue();
        }
        if (entries.size() > ORIGINS_MAX) {
            throw XmlReader.malformed();
        }
        return entries;
    }

    private static List<String> headers(List<String> entries) {
        int prefixes = 0;
        for (String entry : entries) {
            boolean isPrefix = entry.endsWith("*");
            String name = isPrefix ? entry.substring(0, entry.length() - 1) : entry;
            if (!name.chars().allMatch(CorsXml::mayStandInName)) {
                throw XmlReader.badValue();
            }
            prefixes += isPrefix ? 1 : 0;
        }
        if (prefixes > PREFIXES_MAX || entries.size() - prefixes > NAMES_MAX) {
            throw XmlReader.malformed();
        }
        return entries;
    }

    /** The names go into headers of answers. */
    private static boolean mayStandInName(int unit) {
        return (unit >= '0' && unit <= '9')
                || (unit >= 'a' && unit <= 'z')
                || (unit >= 'A' && unit <= 'Z')
                || "!#$%&'+-.^_`|~".indexOf(unit) >= 0;
    }

    static void write(XmlWriter xml, List<CorsRule> rules) {
        if (rules.isEmpty()) {
            xml.empty(NAME);
            return;
        }
        xml.open(NAME);
        for (CorsRule rule : rules) {
            xml.open(RULE)
                    .leaf(METHODS, String.join(",", rule.methods()))
                    .leaf(ORIGINS, String.join(",", rule.origins()))
                    .leaf(ALLOWED, String.join(",", rule.allowedHeaders()))
                    .leaf(EXPOSED, String.join(",", rule.exposedHeaders()))
                    .leaf(MAX_AGE, Integer.toString(rule.maxAgeSeconds()))
                    .close(RULE);
        }
        xml.close(NAME);
    }
}
