package cleave.server.policy;

import cleave.wire.ErrorCode;

/**
 * When the answer to a write may leave. Stateless.
 *
 * <p>Invariant I3: what is judged is judged on the store and on records in flight, which may turn out never to have been written.
 * So every answer that says something about the data, a refusal as well, leaves behind all records before it.
 */
public interface AnswerOrder {
    /** The only one: that of the commit log. */
    AnswerOrder OF_THE_LOG = judgement -> judgement.code() == ErrorCode.UNAVAILABLE;

    /** True if an answer may leave as soon as it is judged: it says nothing about the data. */
    boolean mayOvertake(Judgement judgement);
}
