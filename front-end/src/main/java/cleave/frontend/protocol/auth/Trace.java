package cleave.frontend.protocol.auth;

/** Where it is told, on demand, why requests were refused. Thread-safe. It is never told a key or a signature. */
public interface Trace {
    Trace OFF = new Trace() {
        @Override
        public boolean isOn() {
            return false;
        }

        @Override
        public void tried(String requestId, String stringToSign) {}

        @Override
        public void refused(String requestId, String why) {}
    };

    /** Whether anybody listens; if not, nothing needs to be told. */
    boolean isOn();

    /** What the server signed, and the client should have signed. */
    void tried(String requestId, String stringToSign);

    void refused(String requestId, String why);
}
