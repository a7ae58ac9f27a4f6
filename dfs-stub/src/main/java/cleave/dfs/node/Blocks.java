package cleave.dfs.node;

import java.util.zip.CRC32C;

/** The layout of an extent's file: blocks of {@link #BYTES}, each preceded by its checksum; the last may be shorter. Pure. */
public final class Blocks {
    public static final int BYTES = 16 * 1024;
    public static final int CHECKSUM_BYTES = 4;

    private Blocks() {}

    public static long blockOf(long offset) {
        return offset / BYTES;
    }

    public static int within(long offset) {
        return (int) (offset % BYTES);
    }

    public static long startOf(long block) {
        return block * BYTES;
    }

    /** The position of a block's checksum in the file; its bytes follow. */
    public static long positionOf(long block) {
        return block * (BYTES + CHECKSUM_BYTES);
    }

    public static int checksum(byte[] bytes, int from, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, from, length);
        return (int) crc.getValue();
    }
}
