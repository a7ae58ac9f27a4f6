package cleave.chaos.lab;

import cleave.chaos.lab.faults.FaultLabs;
import cleave.chaos.lab.partitioning.PartitioningLabs;
import cleave.chaos.lab.patterns.PatternLabs;
import cleave.deploy.CommandFailure;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** All labs, in the order of the course. */
public final class Labs {
    private Labs() {}

    public static List<Lab> all() {
        return Stream.of(PartitioningLabs.all(), PatternLabs.all(), FaultLabs.all())
                .flatMap(List::stream)
                .toList();
    }

    /** The lab of that name. */
    static Lab named(String name) {
        return all().stream()
                .filter(lab -> lab.card().name().equals(name))
                .findFirst()
                .orElseThrow(() -> CommandFailure.usage("there is no lab '" + name + "'; there are "
                        + all().stream().map(lab -> lab.card().name()).collect(Collectors.joining(", "))));
    }

    /** The number of a lab's page in docs/labs, from 1; each part of the course begins at a number of its own. */
    static int number(LabCard card) {
        List<String> part = all().stream()
                .map(Lab::card)
                .filter(other -> other.course() == card.course())
                .map(LabCard::name)
                .toList();
        int before = switch (card.course()) {
            case PARTITIONING -> 0;
            case PATTERNS -> 20;
            case FAULT_TOLERANCE -> 50;
        };
        return before + part.indexOf(card.name()) + 1;
    }
}
