package cleave.client;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;

/**
 * A shared access signature, which goes with each request. Immutable.
 *
 * @param query the parameters as they were issued, encoded, without a question mark
 */
public record Sas(String account, String query) implements Credential {
    /** The only table that it is for, in any case of letters; empty if it is for an account. */
    public String table() {
        return parameter(query, "tn");
    }

    /** The value of a parameter, decoded; empty if there is none. */
    static String parameter(String query, String name) {
        for (String parameter : query.split("&")) {
            if (parameter.startsWith(name + "=")) {
                return URLDecoder.decode(parameter.substring(name.length() + 1), StandardCharsets.UTF_8);
            }
        }
        return "";
    }

    @Override
    public Request sign(Request request) {
        String target = request.target() + (request.target().contains("?") ? "&" : "?") + query;
        return new Request(request.method(), target, request.headers(), request.body());
    }

    /** Leaves the token out: it is as good as a key. */
    @Override
    public String toString() {
        return "Sas[" + account + "]";
    }
}
