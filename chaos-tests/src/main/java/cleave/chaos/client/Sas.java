package cleave.chaos.client;

/**
 * A shared access signature, which goes with each request. Immutable.
 *
 * @param query the parameters as they were issued, encoded, without a question mark
 */
public record Sas(String account, String query) implements Credential {
    @Override
    public Request sign(Request request) {
        String target = request.target() + (request.target().contains("?") ? "&" : "?") + query;
        return new Request(request.method(), target, request.headers(), request.body());
    }

    /** A token is as good as a key, so it is not told. */
    @Override
    public String toString() {
        return "Sas[" + account + "]";
    }
}
