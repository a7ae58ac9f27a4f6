package cleave.dfs.rpc;

import cleave.dfs.Dfs.Space;
import cleave.dfs.DfsException;
import cleave.dfs.DfsException.Reason;
import cleave.dfs.DfsFile.Purpose;
import cleave.dfs.link.ExtentStatus;
import cleave.wire.AppendPurpose;
import cleave.wire.DiskSpace;

/** Converts a node's answers about an extent and its disk to those on the wire, and back. Pure. */
final class WireEnums {
    private WireEnums() {}

    static cleave.wire.ExtentVerdict wire(ExtentStatus status) {
        return switch (status) {
            case OK -> cleave.wire.ExtentVerdict.EXTENT_OK;
            case FENCED -> cleave.wire.ExtentVerdict.EXTENT_FENCED;
            case DELETED -> cleave.wire.ExtentVerdict.EXTENT_DELETED;
            case WRONG_OFFSET -> cleave.wire.ExtentVerdict.EXTENT_WRONG_OFFSET;
            case DAMAGED -> cleave.wire.ExtentVerdict.EXTENT_DAMAGED;
            case WRONG_NODE -> cleave.wire.ExtentVerdict.EXTENT_WRONG_NODE;
            case NO_SPACE -> cleave.wire.ExtentVerdict.EXTENT_NO_SPACE;
        };
    }

    static ExtentStatus status(cleave.wire.ExtentVerdict wire) {
        return switch (wire) {
            case EXTENT_OK -> ExtentStatus.OK;
            case EXTENT_FENCED -> ExtentStatus.FENCED;
            case EXTENT_DELETED -> ExtentStatus.DELETED;
            case EXTENT_WRONG_OFFSET -> ExtentStatus.WRONG_OFFSET;
            case EXTENT_DAMAGED -> ExtentStatus.DAMAGED;
            case EXTENT_WRONG_NODE -> ExtentStatus.WRONG_NODE;
            case EXTENT_NO_SPACE -> ExtentStatus.NO_SPACE;
            case UNRECOGNIZED -> throw new DfsException(Reason.UNAVAILABLE, "the node gave an unknown status");
        };
    }

    static AppendPurpose wire(Purpose purpose) {
        return switch (purpose) {
            case ESSENTIAL -> AppendPurpose.APPEND_ESSENTIAL;
            case CHECKPOINT -> AppendPurpose.APPEND_CHECKPOINT;
            case WRITE -> AppendPurpose.APPEND_WRITE;
            case SERVING -> AppendPurpose.APPEND_SERVING;
        };
    }

    /** One that is not known is taken as long as anything is. */
    static Purpose purpose(AppendPurpose wire) {
        return switch (wire) {
            case APPEND_CHECKPOINT -> Purpose.CHECKPOINT;
            case APPEND_WRITE -> Purpose.WRITE;
            case APPEND_SERVING -> Purpose.SERVING;
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
