package cleave.dfs.rpc;

import cleave.dfs.DfsException;
import cleave.dfs.DfsException.Reason;
import cleave.dfs.loop.ExtentVerdict;

/** What a node says about an extent, on the wire. Pure. */
final class Verdicts {
    private Verdicts() {}

    static cleave.wire.ExtentVerdict wire(ExtentVerdict verdict) {
        return switch (verdict) {
            case OK -> cleave.wire.ExtentVerdict.EXTENT_OK;
            case FENCED -> cleave.wire.ExtentVerdict.EXTENT_FENCED;
            case DELETED -> cleave.wire.ExtentVerdict.EXTENT_DELETED;
            case WRONG_OFFSET -> cleave.wire.ExtentVerdict.EXTENT_WRONG_OFFSET;
            case DAMAGED -> cleave.wire.ExtentVerdict.EXTENT_DAMAGED;
            case WRONG_NODE -> cleave.wire.ExtentVerdict.EXTENT_WRONG_NODE;
        };
    }

    static ExtentVerdict verdict(cleave.wire.ExtentVerdict wire) {
        return switch (wire) {
            case EXTENT_OK -> ExtentVerdict.OK;
            case EXTENT_FENCED -> ExtentVerdict.FENCED;
            case EXTENT_DELETED -> ExtentVerdict.DELETED;
            case EXTENT_WRONG_OFFSET -> ExtentVerdict.WRONG_OFFSET;
            case EXTENT_DAMAGED -> ExtentVerdict.DAMAGED;
            case EXTENT_WRONG_NODE -> ExtentVerdict.WRONG_NODE;
            case UNRECOGNIZED -> throw new DfsException(Reason.UNAVAILABLE, "the node gave an unknown verdict");
        };
    }
}
