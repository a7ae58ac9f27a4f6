package cleave.chaos.command;

import picocli.CommandLine.Option;

/** The first contents of the ranges, and the changes that chance makes to them. Confined to its command. */
public final class RangeOptions {
    private static final long MIB = 1 << 20;

    @Option(names = "--size-mib", paramLabel = "N", description = "approximate size of a range (default: 0, a few KiB)")
    private int sizeMib = 0;

    @Option(names = "--seed", paramLabel = "N", description = "seed of all random choices (default: 1)")
    private long seed = 1;

    public long rangeBytes() {
        return sizeMib * MIB;
    }

    public long seed() {
        return seed;
    }
}
