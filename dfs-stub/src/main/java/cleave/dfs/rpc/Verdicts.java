package cleave.dfs.rpc;

import cleave.dfs.Dfs.Space;
import cleave.dfs.DfsException;
import cleave.dfs.DfsException.Reason;
import cleave.dfs.DfsFile.Purpose;
import cleave.dfs.loop.ExtentVerdict;
import cleave.wire.AppendPurpose;
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
            case NO_SPACE -> cleave.wire.ExtentVerdict.EXTENT_NO_SPACE;
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
            case EXTENT_NO_SPACE -> ExtentVerdict.NO_SPACE;
            case UNRECOGNIZED -> throw new DfsException(Reason.UNAVAILABLE, "the node gave an unknown verdict");
        };
    }

    static AppendPurpose wire(Purpose purpose) {
        return switch (purpose) {
            case ESSENTIAL -> AppendPurpose.APPEND_ESSENTIAL;
            case CHECKPOINT -> AppendPurpose.APPEND_CHECKPOINT;
            case WRITE -> AppendPurpose.APPEND_WRITE;
        };
    }

    /** One that is not known is taken as long as anything is. */
    static Purpose purpose(AppendPurpose wire) {
        return switch (wire) {
            case APPEND_CHECKPOINT -> Purpose.CHECKPOINT;
            case APPEND_WRITE -> Purpose.WRITE;
            case APPEND_ESSENTIAL, UNRECOGNIZED -> Purpose.ESSENTIAL;
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
