package cleave.advisories;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A library that a bill of materials lists. Immutable.
 *
 * @param name GROUP:ARTIFACT
 */
record Library(String name, String version) {
    private static final Pattern PURL = Pattern.compile("pkg:maven/([^/]+)/([^@/]+)@([^?#]+).*");

    /** The libraries of Maven in a bill of materials (CycloneDX), each version once. */
    static List<Library> listedIn(Json bill) {
        return bill.objects("components")
                .map(component -> PURL.matcher(component.text("purl")))
                .filter(Matcher::matches)
                .map(purl -> new Library(decoded(purl.group(1)) + ":" + decoded(purl.group(2)), decoded(purl.group(3))))
                .distinct()
                .toList();
    }

    private static String decoded(String part) {
        return URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8);
    }
}
