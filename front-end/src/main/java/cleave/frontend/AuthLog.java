package cleave.frontend;

import cleave.frontend.protocol.auth.Trace;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs why requests were refused to the logger {@code cleave.auth}, at DEBUG. Thread-safe. */
final class AuthLog implements Trace {
    private static final Logger LOG = LoggerFactory.getLogger("cleave.auth");

    @Override
    public boolean isOn() {
        return LOG.isDebugEnabled();
    }

    @Override
    public void tried(String requestId, String stringToSign) {
        LOG.debug("signature does not match requestId={} stringToSign={}", requestId, onOneLine(stringToSign));
    }

    @Override
    public void refused(String requestId, String why) {
        LOG.debug("request refused requestId={} reason={}", requestId, onOneLine(why));
    }

    /** Keeps text from clients from forging log lines. */
    private static String onOneLine(String text) {
        StringBuilder line = new StringBuilder(text.length() + 16);
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\n') {
                line.append("\\n");
            } else {
                line.append(Character.isISOControl(c) || c == '\u2028' || c == '\u2029' ? '?' : c);
            }
        }
        return line.toString();
    }
}
