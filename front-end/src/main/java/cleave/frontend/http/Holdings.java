package cleave.frontend.http;

import cleave.frontend.fairness.Admission;
import cleave.frontend.metrics.FrontEndMetrics;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The slot and the bytes that an exchange holds. Confined to its loop. The bytes count for the account; for the connection while the
 * account is unknown, or if the request is refused.
 */
final class Holdings {
    private final Admission admission;
    private final FrontEndMetrics metrics;
    private final ClientConnection connection;
    /** The account whose slot it holds; null if it is not in flight. */
    private @Nullable String slotOf;
    /** The account that the bytes count for; null while it is not authenticated. */
    private @Nullable String account;
    /** Bytes of the head and the body, or of the answer, that count for the account. */
    private long held;
    /** Bytes of an unauthenticated head, that count for the connection. */
    private long unsigned;

    Holdings(HttpService service, ClientConnection connection) {
        this.admission = service.core().admission();
        this.metrics = service.metrics();
        this.connection = connection;
    }

    /** The head was received, and its sender is unknown. */
    void holdUnsigned(long headBytes) {
        unsigned = headBytes;
        connection.keeps(headBytes);
    }

    /** The account is authenticated. Refused with ServerBusy if it holds its share of slots or bytes already. */
    void admit(String authenticated) {
        admission.checkBytes(authenticated);
        takeSlot(authenticated);
        account = authenticated;
        hold(unsigned);
        releaseUnsigned();
    }

    boolean isAdmitted() {
        return account != null;
    }

    /** True if the account may hold more bytes. */
    boolean admitsMore() {
        return account != null && admission.hasRoom(account);
    }

    /** Refused with ServerBusy if the account holds its share of slots already. */
    void takeSlot(String whose) {
        admission.takeSlot(whose);
        metrics.requestBegan();
        slotOf = whose;
    }

    void hold(long bytes) {
        held += bytes;
        admission.hold(Objects.requireNonNull(account), bytes);
    }

    /** Releases the slot and the account's bytes. */
    void release() {
        releaseBytes();
        if (slotOf != null) {
            admission.giveSlot(slotOf);
            metrics.requestEnded();
            slotOf = null;
        }
    }

    /** Releases all bytes: the exchange is over. A slot stays with a request that is still being processed. */
    void end() {
        releaseBytes();
        releaseUnsigned();
    }

    private void releaseBytes() {
        if (account != null) {
            admission.letGo(account, held);
            held = 0;
        }
    }

    private void releaseUnsigned() {
        connection.keeps(-unsigned);
        unsigned = 0;
    }
}
