package cleave.client;

/** What a client proves with that it may use an account. Thread-safe. */
public interface Credential {
    String account();

    /** The same request with the proof on it, as of now. */
    Request sign(Request request);
}
