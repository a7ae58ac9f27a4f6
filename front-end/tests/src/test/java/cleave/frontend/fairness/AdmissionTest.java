package cleave.frontend.fairness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.frontend.fairness.Admission.Bound;
import cleave.frontend.protocol.odata.ServiceCode;
import cleave.frontend.protocol.odata.ServiceError;
import cleave.frontend.throttle.AccountThrottle;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class AdmissionTest {
    private final List<Bound> refused = new ArrayList<>();
    private final Admission admission = new Admission(10, 100, new AccountThrottle(1), refused::add);

    private void assertBusy(Bound bound, ThrowingCallable step) {
        refused.clear();
        assertThatThrownBy(step)
                .isInstanceOfSatisfying(
                        ServiceError.class, error -> assertThat(error.code()).isEqualTo(ServiceCode.SERVER_BUSY));
        assertThat(refused).containsExactly(bound);
    }

    @Test
    void anAccountThatHasItsShareOfSlotsIsRefusedAndOthersAreNot() {
        for (int i = 0; i < 8; i++) {
            admission.takeSlot("a");
        }

        assertBusy(Bound.REQUESTS_OF_ACCOUNT, () -> admission.takeSlot("a"));
        admission.takeSlot("b");
        admission.takeSlot("c");
        assertBusy(Bound.REQUESTS, () -> admission.takeSlot("d"));
        assertBusy(Bound.REQUESTS, admission::checkShared);
        admission.giveSlot("a");
        admission.checkShared();
    }

    @Test
    void anAccountThatHoldsItsShareOfBytesIsRefusedAndOthersAreNot() {
        admission.hold("a", 80);

        assertThat(admission.hasRoom("a")).isFalse();
        assertBusy(Bound.BYTES_OF_ACCOUNT, () -> admission.checkBytes("a"));
        admission.checkBytes("b");
        admission.hold("b", 20);
        assertBusy(Bound.BYTES, () -> admission.checkBytes("c"));
        assertBusy(Bound.BYTES, admission::checkShared);
        admission.letGo("b", 20);
        admission.checkShared();
        assertThat(admission.heldBytes()).isEqualTo(80);
    }

    @Test
    void anAccountBeyondItsRateIsRefusedUntilItHasPaid() {
        admission.checkRate("a", 0);
        admission.pay("a", 3, 0);

        assertBusy(Bound.RATE_OF_ACCOUNT, () -> admission.checkRate("a", 0));
        admission.checkRate("b", 0);
        admission.checkRate("a", 3_000_000_000L);
    }
}
