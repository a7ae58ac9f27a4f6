package cleave.chaos.ycsb;

import cleave.client.Answer;
import site.ycsb.Status;

/** Answers of the Table service as YCSB's statuses, by which it counts them. Stateless. */
final class Outcomes {
    /** An insert found the record. */
    static final Status CONFLICT = new Status("CONFLICT", "The record exists, or its table is being changed.");
    /** The operation may have happened. */
    static final Status TIMEOUT = new Status("TIMEOUT", "There was no answer in time.");

    private Outcomes() {}

    static Status of(Answer answer) {
        if (answer.isSuccess()) {
            return Status.OK;
        }
        return switch (answer.status()) {
            case 401, 403 -> Status.FORBIDDEN;
            case 404 -> Status.NOT_FOUND;
            case 409, 412 -> CONFLICT;
            case 429, 503 -> Status.SERVICE_UNAVAILABLE;
            case 408, 504 -> TIMEOUT;
            default -> answer.status() < 500 ? Status.BAD_REQUEST : Status.ERROR;
        };
    }
}
