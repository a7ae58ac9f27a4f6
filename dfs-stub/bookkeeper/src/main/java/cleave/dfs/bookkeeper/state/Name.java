package cleave.dfs.bookkeeper.state;

import java.nio.charset.StandardCharsets;

/**
 * ZooKeeper's record of one path. Immutable.
 *
 * <p>A name only moves down the list of {@link Kind}s. The ledger's own metadata are the only truth about its length and whether it is
 * closed; only the kind shows <em>who</em> ended it.
 *
 * @param ledger its number; {@link #NO_LEDGER} if there is none
 * @param version of the node, for the compare-and-set of the next change
 */
public record Name(Kind kind, long ledger, int version) {
    public static final long NO_LEDGER = -1;

    public static final Name ABSENT = new Name(Kind.ABSENT, NO_LEDGER, -1);

    public enum Kind {
        /** Nothing has that path, and nothing is known to have had it. */
        ABSENT('-'),
        /** A ledger, which is open unless its metadata say otherwise. */
        WRITTEN('W'),
        /** Its writer has closed the ledger, and appends nothing any more. */
        SEALED('S'),
        /** Somebody else fences, or fenced, the ledger: its writer may still believe that it is open. */
        TAKEN_OVER('T'),
        /** Sealed before it was ever created. */
        EMPTY('E'),
        /** Deleted; the ledger, if any, may be deleted at once. */
        DELETED('D'),
        /** Deleted; the ledger, fenced, is kept until its writer is certain to have failed. */
        DELETED_FENCED('F');

        private final char letter;

        Kind(char letter) {
            this.letter = letter;
        }
    }

    public static Name written(long ledger) {
        return new Name(Kind.WRITTEN, ledger, 0);
    }

    public Name as(Kind next) {
        return new Name(next, ledger, version);
    }

    public boolean isDeleted() {
        return kind == Kind.DELETED || kind == Kind.DELETED_FENCED;
    }

    /** Whether a file has this name. */
    public boolean isFile() {
        return kind != Kind.ABSENT && !isDeleted();
    }

    public boolean hasLedger() {
        return ledger != NO_LEDGER;
    }

    /** The bytes of its node: a letter, and the ledger's number. */
    public byte[] data() {
        return (kind.letter + (hasLedger() ? Long.toString(ledger) : "")).getBytes(StandardCharsets.US_ASCII);
    }

    /** @throws IllegalArgumentException if no version of Cleave has written this */
    public static Name parse(byte[] data, int version) {
        String text = new String(data, StandardCharsets.US_ASCII);
        for (Kind kind : Kind.values()) {
            if (!text.isEmpty() && text.charAt(0) == kind.letter && kind != Kind.ABSENT) {
                long ledger = text.length() == 1 ? NO_LEDGER : Long.parseLong(text.substring(1));
                return new Name(kind, ledger, version);
            }
        }
        throw new IllegalArgumentException("a name cannot be '" + text + "'");
    }
}
