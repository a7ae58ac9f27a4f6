package cleave.client;

/** Proves that a client may use an account. Thread-safe. */
public interface Credential {
    String account();

    /** The same request with the proof on it, as of now. */
    Request sign(Request request);
}
