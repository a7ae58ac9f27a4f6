package cleave.chaos.lab.faults;

import cleave.chaos.lab.Lab;
import java.util.List;

/** The labs about fault tolerance, in the order of the course. */
public final class FaultLabs {
    private FaultLabs() {}

    public static List<Lab> all() {
        return List.of(
                new TakeoverLab(), new ZombieLab(), new WithoutMastersLab(), new PlantedBugLab(), new LostDiskLab());
    }
}
