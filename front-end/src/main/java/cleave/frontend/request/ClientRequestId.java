package cleave.frontend.request;

import org.jspecify.annotations.Nullable;

/** The id that a client may give its request, in {@code x-ms-client-request-id}. Stateless. */
public final class ClientRequestId {
    private static final int LENGTH_MAX = 1024;

    private ClientRequestId() {}

    /** True if it is repeated, in the answer and in the log: visible ASCII is, anything else could forge lines. */
    public static boolean isEchoed(@Nullable String id) {
        return id != null && !id.isEmpty() && id.length() <= LENGTH_MAX && isVisible(id);
    }

    private static boolean isVisible(String id) {
        for (int i = 0; i < id.length(); i++) {
            if (id.charAt(i) < ' ' || id.charAt(i) > '~') {
                return false;
            }
        }
        return true;
    }
}
