package cleave.client;

/** The answers after which a client repeats a request, as long as its {@link RetryPolicy} permits. */
public enum Repeat {
    /** The request was certainly not executed: the service was busy (503). */
    BUSY,
    /**
     * The request may succeed later: the answer is 408, 429 or 5xx except 501 and 505, or there was none. SDKs do the same. Only for
     * requests that may be executed twice.
     */
    TRANSIENT;

    /** True if the request with this answer is worth another attempt. */
    public boolean applies(Answer answer) {
        int status = answer.status();
        return this == BUSY
                ? status == 503 || (status == 202 && answer.inner().status() == 503)
                : status == 408 || status == 429 || (status >= 500 && status != 501 && status != 505);
    }
}
