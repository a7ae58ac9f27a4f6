package cleave.chaos.lab.patterns;

import cleave.chaos.lab.Lab;
import java.util.List;

/** The course of design patterns, in order. */
public final class PatternLabs {
    private PatternLabs() {}

    public static List<Lab> all() {
        return List.of(
                new SecondaryIndexLab(),
                new PartitionedIndexLab(),
                new EventualConsistencyLab(),
                new IndexEntitiesLab(),
                new DenormalizationLab(),
                new CompoundKeyLab(),
                new LogTailLab(),
                new HighVolumeDeleteLab(),
                new DataSeriesLab(),
                new WideEntitiesLab(),
                new LargeEntitiesLab(),
                new AppendAntiPatternLab(),
                new LogDataLab(),
                new RelationshipsLab(),
                new ClientSideJoinLab(),
                new SeveralTypesLab(),
                new OwnRowsLab(),
                new ClientSideEncryptionLab(),
                new BankingLab(),
                new FootRacesLab());
    }
}
