package cleave.dfs.rpc;

import cleave.dfs.Dfs.Space;
import cleave.dfs.DfsException;
import cleave.dfs.DfsException.Reason;
import cleave.dfs.loop.ExtentVerdict;
import cleave.wire.DiskSpace;

/** What a node says about an extent and its disk, on the wire. Pure. */
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

    static DiskSpace wire(Space space) {
        return switch (space) {
            case ROOMY -> DiskSpace.SPACE_ROOMY;
            case LOW -> DiskSpace.SPACE_LOW;
            case FULL -> DiskSpace.SPACE_FULL;
        };
    }

    static Space space(DiskSpace wire) {
        return switch (wire) {
            case SPACE_ROOMY -> Space.ROOMY;
            case SPACE_LOW -> Space.LOW;
            case SPACE_FULL -> Space.FULL;
            case UNRECOGNIZED -> throw new DfsException(Reason.UNAVAILABLE, "the node gave an unknown space");
        };
    }
}
