package cleave.chaos.lab.partitioning;

import cleave.chaos.lab.Lab;
import java.util.List;

/** The labs of the first part of the course, in order. */
public final class PartitioningLabs {
    private PartitioningLabs() {}

    public static List<Lab> all() {
        return List.of(
                new OrderAndPadding(),
                new QueryClasses(),
                new PartitionSize(),
                new ProjectionAndTop(),
                new RangesAndServers(),
                new AppendAndPrepend(),
                new Granularity(),
                new ContinuationTokens(),
                new HotRange(),
                new ColdRanges(),
                new HotPartition(),
                new ParallelQueries(),
                new Workers(),
                new Priming(),
                new Retries(),
                new Contention(),
                new ChoosingKeys(),
                new SteadyLoads());
    }
}
