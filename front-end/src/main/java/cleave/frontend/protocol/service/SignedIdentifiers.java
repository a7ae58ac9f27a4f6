package cleave.frontend.protocol.service;

import cleave.frontend.protocol.odata.Body;
import cleave.frontend.protocol.odata.DateTimeText;
import cleave.model.table.AccessPolicy;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The document of a table's stored access policies. */
public final class SignedIdentifiers {
    private static final int POLICIES_MAX = 5;
    private static final int ID_CHARS_MAX = 64;
    private static final String LETTERS = "raud";

    private static final String ROOT = "SignedIdentifiers";
    private static final String POLICY = "SignedIdentifier";
    private static final String ID = "Id";
    private static final String TERMS = "AccessPolicy";
    private static final String START = "Start";
    private static final String EXPIRY = "Expiry";
    private static final String PERMISSION = "Permission";

    private SignedIdentifiers() {}

    /** Reads the new policies of a table. An empty body removes all. */
    public static List<AccessPolicy> read(Body body) {
        if (body.isEmpty()) {
            return List.of();
        }
        XmlReader xml = new XmlReader(body, ROOT);
        List<AccessPolicy> policies = new ArrayList<>(POLICIES_MAX);
        Set<String> ids = new HashSet<>();
        for (String name = xml.child(); name != null; name = xml.child()) {
            if (!name.equals(POLICY) || policies.size() == POLICIES_MAX) {
                throw XmlReader.malformed();
            }
            AccessPolicy policy = policy(xml);
            if (!ids.add(policy.id())) {
                throw XmlReader.malformed();
            }
            policies.add(policy);
        }
        xml.end();
        return policies;
    }

    private static AccessPolicy policy(XmlReader xml) {
        String id = "";
        AccessPolicy terms = new AccessPolicy("", null, null, null);
        Set<String> seen = new HashSet<>();
        for (String name = xml.childOnce(seen); name != null; name = xml.childOnce(seen)) {
            switch (name) {
                case ID -> id = xml.text();
                case TERMS -> terms = terms(xml);
                default -> throw XmlReader.malformed();
            }
        }
        if (id.isEmpty() || id.length() > ID_CHARS_MAX) {
            throw XmlReader.malformed();
        }
        return new AccessPolicy(id, terms.start(), terms.expiry(), terms.permissions());
    }

    /** An empty element is the same as an absent one. */
    private static AccessPolicy terms(XmlReader xml) {
        Long start = null;
        Long expiry = null;
        String permissions = null;
        Set<String> seen = new HashSet<>();
        for (String name = xml.childOnce(seen); name != null; name = xml.childOnce(seen)) {
            switch (name) {
                case START -> start = instant(xml.text().strip());
                case EXPIRY -> expiry = instant(xml.text().strip());
                case PERMISSION -> permissions = permissions(xml.text().strip());
                default -> throw XmlReader.malformed();
            }
        }
        return new AccessPolicy("", start, expiry, permissions);
    }

    private static @Nullable Long instant(String text) {
        if (text.isEmpty()) {
            return null;
        }
        Long ticks = DateTimeText.parse(text);
        if (ticks == null) {
            throw XmlReader.badValue();
        }
        return ticks;
    }

    /** The letters in the order of signatures. */
    private static @Nullable String permissions(String text) {
        String ordered = LETTERS.chars()
                .filter(letter -> text.indexOf(letter) >= 0)
                .mapToObj(Character::toString)
                .collect(Collectors.joining());
        if (ordered.length() != text.length()) {
            throw XmlReader.badValue();
        }
        return text.isEmpty() ? null : ordered;
    }

    public static byte[] write(List<AccessPolicy> policies) {
        XmlWriter xml = new XmlWriter();
        if (policies.isEmpty()) {
            return xml.empty(ROOT).bytes();
        }
        xml.open(ROOT);
        for (AccessPolicy policy : policies) {
            xml.open(POLICY).leaf(ID, policy.id());
            if (policy.start() != null || policy.expiry() != null || policy.permissions() != null) {
                writeTerms(xml.open(TERMS), policy);
                xml.close(TERMS);
            }
            xml.close(POLICY);
        }
        return xml.close(ROOT).bytes();
    }

    private static void writeTerms(XmlWriter xml, AccessPolicy policy) {
        if (policy.start() != null) {
            xml.leaf(START, DateTimeText.sevenDigits(policy.start()));
        }
        if (policy.expiry() != null) {
            xml.leaf(EXPIRY, DateTimeText.sevenDigits(policy.expiry()));
        }
        if (policy.permissions() != null) {
            xml.leaf(PERMISSION, policy.permissions());
        }
    }
}
