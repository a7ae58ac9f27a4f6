package cleave.server.state;

import java.util.List;

/**
 * One record of a commit log: the effects of one group of requests, all or none. Immutable.
 *
 * <p>Invariant I6: a transaction lies in one record, so it is replayed whole or not at all.
 *
 * @param sequence rises by one from record to record of a log, from {@link LogPosition#FIRST_SEQUENCE}
 * @param highestTimestamp that the range had given when the record was made
 * @param end offset after the record in its log
 */
public record LogRecord(long sequence, long highestTimestamp, List<Effect> effects, long end) {}
