package cleave.frontend.routing;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.frontend.protocol.odata.ServiceError;
import cleave.wire.ErrorCode;
import cleave.wire.Status;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class WireErrorsTest {
    private static String outcome(Function<Status, ? extends RuntimeException> mapping, ErrorCode code) {
        try {
            RuntimeException error =
                    mapping.apply(Status.newBuilder().setCode(code).build());
            return error instanceof ServiceError service
                    ? service.status() + " " + service.code().wireName()
                    : error.getClass().getSimpleName();
        } catch (IllegalStateException bug) {
            return "bug";
        }
    }

    private static List<String> table(Function<Status, ? extends RuntimeException> mapping) {
        return Arrays.stream(ErrorCode.values())
                .filter(code -> code != ErrorCode.UNRECOGNIZED)
                .map(code -> code + " -> " + outcome(mapping, code))
                .collect(Collectors.toList());
    }

    @Test
    void everyAnswerOfARangeHasItsMeaning() {
        assertThat(table(WireErrors::ofRange))
                .containsExactly(
                        "OK -> bug",
                        "NOT_OWNER -> 503 ServerBusy",
                        "BUSY -> 503 ServerBusy",
                        "NOT_LEADER -> 503 ServerBusy",
                        "UNAVAILABLE -> 503 ServerBusy",
                        "THROTTLED -> 503 ServerBusy",
                        "ALREADY_EXISTS -> 409 EntityAlreadyExists",
                        "NOT_FOUND -> 404 ResourceNotFound",
                        "CONDITION_FAILED -> 412 UpdateConditionNotSatisfied",
                        "ENTITY_TOO_LARGE -> 400 EntityTooLarge",
                        "TOO_MANY_PROPERTIES -> 400 TooManyProperties",
                        "TABLE_DROPPED -> TableDropped",
                        "DAMAGED -> 500 InternalError",
                        "STALE_VERSION -> bug",
                        "DEAD_INCARNATION -> bug",
                        "INVALID -> bug",
                        "UNKNOWN_OUTCOME -> 500 OperationTimedOut");
    }

    @Test
    void everyAnswerOfAMasterToAnAllocationHasItsMeaning() {
        assertThat(table(WireErrors::ofAllocation))
                .contains("UNAVAILABLE -> 503 ServerBusy", "UNKNOWN_OUTCOME -> 503 ServerBusy")
                .contains("INVALID -> bug", "OK -> bug", "NOT_FOUND -> bug");
    }

    @Test
    void everyAnswerOfAMasterToADropHasItsMeaning() {
        assertThat(table(WireErrors::ofDrop))
                .contains("UNAVAILABLE -> 503 ServerBusy", "UNKNOWN_OUTCOME -> 500 OperationTimedOut")
                .contains("NOT_FOUND -> 404 ResourceNotFound", "INVALID -> bug");
    }
}
