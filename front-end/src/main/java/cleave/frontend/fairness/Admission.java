package cleave.frontend.fairness;

import cleave.frontend.protocol.odata.ServiceCode;
import cleave.frontend.protocol.odata.ServiceError;
import cleave.frontend.throttle.AccountThrottle;
import java.util.function.Consumer;

/**
 * Decides whether one loop of a front end has room for a request: slots for requests in flight, bytes that are held, and the rate of its
 * account. Confined to its loop, but for the rate, which all loops share. Slots and bytes are shared fairly ({@link FairShare}); a request
 * that finds none is refused with ServerBusy. The page of limits lists the bounds.
 */
public final class Admission {
    /** The bound that refused a request. */
    public enum Bound {
        REQUESTS,
        REQUESTS_OF_ACCOUNT,
        BYTES,
        BYTES_OF_ACCOUNT,
        RATE_OF_ACCOUNT
    }

    private final FairShare slots;
    private final FairShare bytes;
    private final AccountThrottle throttle;
    private final Consumer<Bound> refused;

    /**
     * @param requestsMax in flight
     * @param bytesMax of requests with their bodies, pages that are being built, and answers that clients have not taken
     * @param refused told of each refusal
     */
    public Admission(int requestsMax, long bytesMax, AccountThrottle throttle, Consumer<Bound> refused) {
        this.slots = new FairShare(requestsMax);
        this.bytes = new FairShare(bytesMax);
        this.throttle = throttle;
        this.refused = refused;
    }

    /** Checks the bounds that all accounts share: before the signature, because verifying one takes time. */
    public void checkShared() {
        if (bytes.isFull()) {
            throw busy(Bound.BYTES);
        }
        if (slots.isFull()) {
            throw busy(Bound.REQUESTS);
        }
    }

    /** Checks the rate of an authenticated account, which is then charged for one entity. */
    public void checkRate(String account, long nowNanos) {
        if (!throttle.admits(account, nowNanos)) {
            refused.accept(Bound.RATE_OF_ACCOUNT);
            throw ServiceError.of(ServiceCode.SERVER_BUSY, "Operations per second is over the account limit.");
        }
    }

    /** Charges an admitted request for the entities that it read and wrote. */
    public void pay(String account, long entities, long nowNanos) {
        throttle.pay(account, entities, nowNanos);
    }

    /** Checks that an account may hold more bytes. */
    public void checkBytes(String account) {
        if (!bytes.admits(account)) {
            throw busy(bytes.isFull() ? Bound.BYTES : Bound.BYTES_OF_ACCOUNT);
        }
    }

    /** False if an account holds its share of bytes. */
    public boolean hasRoom(String account) {
        return bytes.admits(account);
    }

    public void hold(String account, long amount) {
        bytes.take(account, amount);
    }

    public void letGo(String account, long amount) {
        bytes.give(account, amount);
    }

    /** Bytes that all accounts hold. */
    public long heldBytes() {
        return bytes.taken();
    }

    /** Takes a slot for one request of an account, or of {@link FairShare#NO_ACCOUNT}. */
    public void takeSlot(String account) {
        if (!slots.admits(account)) {
            throw busy(slots.isFull() ? Bound.REQUESTS : Bound.REQUESTS_OF_ACCOUNT);
        }
        slots.take(account, 1);
    }

    public void giveSlot(String account) {
        slots.give(account, 1);
    }

    private ServiceError busy(Bound bound) {
        refused.accept(bound);
        return ServiceError.of(ServiceCode.SERVER_BUSY);
    }
}
