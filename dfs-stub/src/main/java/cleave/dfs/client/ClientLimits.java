package cleave.dfs.client;

import cleave.model.Invariant;

/**
 * Time limits of the client. Immutable.
 *
 * @param boundNanos after this, calls other than appends and barriers answer UNAVAILABLE
 * @param silenceNanos after this, a node that owes answers to appends counts as lost
 * @param pieceBytes larger appends are sent in pieces
 */
public record ClientLimits(long boundNanos, long retryNanosMin, long retryNanosMax, long silenceNanos, int pieceBytes) {
    public ClientLimits {
        Invariant.check(
                retryNanosMin > 0 && retryNanosMin <= retryNanosMax, "retry %s to %s", retryNanosMin, retryNanosMax);
        Invariant.check(boundNanos > 0 && silenceNanos > 0 && pieceBytes > 0, "limits must be positive");
    }
}
