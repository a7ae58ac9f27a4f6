package cleave.dfs.settings;

import cleave.runtime.settings.Settings;

/**
 * How a dfs-stub node runs. Immutable.
 *
 * @param id the operator's name for the node; what tells its disk from others is made from it by chance
 * @param listen address of its gRPC service
 * @param dir the folder that is the node
 * @param syncDelayNanos makes every sync take longer, to see what a slower disk would do
 * @param segmentBytes the journal is freed in pieces of about this size
 * @param bulkBytes appends of this size or more go to their extent's file only
 * @param spaceReserve kept free on the disk: below it clients must not write, below half of it appends wait; 0: a fiftieth of
 *     the disk, from 256 MiB to 4 GiB, but no more than a quarter
 */
public record DfsNodeConfig(
        String id,
        String listen,
        String dir,
        long syncDelayNanos,
        long segmentBytes,
        long bulkBytes,
        long spaceReserve) {
    private static final long BULK_BYTES_MAX = 512 * 1024;

    public DfsNodeConfig {
        if (!id.matches("[A-Za-z0-9._-]+")) {
            throw new Settings.BadSetting("setting dfs-node.id is '" + id + "' but must be letters, digits, . - _");
        }
        if (bulkBytes < 1 || bulkBytes > BULK_BYTES_MAX) {
            throw new Settings.BadSetting("setting dfs-node.bulk-size must be from 1 to 512KiB");
        }
        if (segmentBytes < bulkBytes) {
            throw new Settings.BadSetting("setting dfs-node.segment-size must not be below dfs-node.bulk-size");
        }
    }

    public static DfsNodeConfig from(Settings settings) {
        return new DfsNodeConfig(
                settings.text("dfs-node.id", "dfs-1"),
                settings.text("dfs-node.listen", "127.0.0.1:10500"),
                settings.path("dfs-node.dir").toString(),
                settings.nanos("dfs-node.sync-delay", "0"),
                settings.bytes("dfs-node.segment-size", "64MiB"),
                settings.bytes("dfs-node.bulk-size", "256KiB"),
                settings.bytes("dfs-node.space-reserve", "0"));
    }
}
