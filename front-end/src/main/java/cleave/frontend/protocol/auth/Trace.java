package cleave.frontend.protocol.auth;

/** A trace of why requests were refused, for debugging. Thread-safe. It never receives a key or a signature. */
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

    /** Whether the trace is on; if not, callers need not compute what they would report. */
    boolean isOn();

    /** The string to sign that the server computed, for a signature that did not match. */
    void tried(String requestId, String stringToSign);

    void refused(String requestId, String why);
}
