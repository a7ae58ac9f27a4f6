package cleave.server.policy;

import cleave.wire.ErrorCode;

/**
 * Decides when the answer to a write may leave, and which answer it is when a log breaks under it. Stateless.
 *
 * <p>Invariant I3: writes are judged on the store and on records in flight, which may turn out never to have been written. So every answer
 * that says something about the data, a refusal as well, leaves after all records before it.
 */
public interface AnswerOrder {
    /** The only one: that of the commit log. */
    AnswerOrder OF_THE_LOG = new AnswerOrder() {};

    /** True if an answer may leave as soon as it is judged: it says nothing about the data. */
    default boolean mayOvertake(Judgement judgement) {
        return judgement.code() == ErrorCode.UNAVAILABLE;
    }

    /**
     * True if a record that waits for its answer is durable, now that the current log was sealed. A confirmed record is durable, and it may
     * be one of the previous log, whose offsets the sealed length does not bound.
     *
     * @param offset after the record, in its log
     * @param sealedLength of the current log
     */
    default boolean isDurable(boolean confirmed, long offset, long sealedLength) {
        return confirmed || offset <= sealedLength;
    }
}
