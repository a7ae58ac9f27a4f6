package cleave.chaos.conformance.golden;

import java.util.List;
import java.util.Locale;

/**
 * Exchanges that follow each other, on an account of their own. Immutable.
 *
 * @param file name without its ending
 * @param line where it begins in the file
 * @param name unique in its file
 * @param account its own, or that of the scene before, which it continues
 * @param traits {@code continues}, {@code https}, and options of its account such as {@code state=disabled}
 */
record Scene(String file, int line, String name, String account, List<String> traits, List<Exchange> exchanges) {
    Scene {
        traits = List.copyOf(traits);
        exchanges = List.copyOf(exchanges);
    }

    /** True if it is played over TLS. */
    boolean isSecure() {
        return traits.contains("https");
    }

    /** {@code tables/create}. */
    String id() {
        return file + "/" + name.replace(' ', '-');
    }

    /** The name of the account of a scene that continues none. */
    static String accountOf(String file, String name) {
        return (file + "-" + name).toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-");
    }

    /**
     * One request and the whole answer that it must get. Immutable.
     *
     * @param line where it begins in the file
     * @param authorization how the request is signed; empty: it only prepares the scene, and any success will do
     * @param request of the request line: method and target
     * @param status of the answer: code and reason
     */
    record Exchange(int line, String authorization, String request, Message sent, String status, Message expected) {
        boolean prepares() {
            return authorization.isEmpty();
        }
    }

    /**
     * Headers and body, as the file writes them. Immutable.
     *
     * @param body lines end in CR LF
     */
    record Message(List<String> headers, String body) {
        Message {
            headers = List.copyOf(headers);
        }
    }
}
