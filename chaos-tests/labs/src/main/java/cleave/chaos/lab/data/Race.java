package cleave.chaos.lab.data;

import cleave.chaos.lab.LabEntity;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/** The registrations for foot races of the partitioning guide. */
public final class Race {
    public static final String EVENT = "2011 New York City Marathon";

    /** Each is a partition of the event. */
    public static final List<String> DISTANCES = List.of("10km", "Full", "Half");

    private static final List<String> NAMES = List.of(
            "Alice", "Bob", "Carol", "Dan", "Erin", "Frank", "Grace", "Heidi", "Ivan", "Judy", "Mallory", "Niaj");

    private Race() {}

    /** A runner of one distance. Immutable. */
    public record Runner(String distance, int bib, String firstName, String sex, int age) {
        /** As the guide prints it: {@code BIB:01234__John__M__55}. */
        public LabEntity byBib() {
            return row(String.format(Locale.ROOT, "BIB:%05d__%s__%s__%d", bib, firstName, sex, age), "BIB");
        }

        /** As the guide prints it: {@code AGE:055__1234__John__M}. */
        public LabEntity byAge() {
            return row(String.format(Locale.ROOT, "AGE:%03d__%d__%s__%s", age, bib, firstName, sex), "AGE");
        }

        private LabEntity row(String row, String kind) {
            return LabEntity.of(partition(distance), row)
                    .with("Kind", kind)
                    .with("Bib", bib)
                    .with("FirstName", firstName)
                    .with("Age", age);
        }
    }

    public static String partition(String distance) {
        return EVENT + "__" + distance;
    }

    /** Runners of one distance from bib 1200 on. Bib 1234 is the guide's: John, M, 55. */
    public static List<Runner> runners(String distance, int count) {
        Random random = new Random(distance.hashCode());
        List<Runner> runners = new ArrayList<>();
        for (int bib = 1_200; bib < 1_200 + count; bib++) {
            Runner drawn = new Runner(
                    distance,
                    bib,
                    NAMES.get(random.nextInt(NAMES.size())),
                    random.nextBoolean() ? "F" : "M",
                    18 + random.nextInt(60));
            runners.add(bib == 1_234 ? new Runner(distance, bib, "John", "M", 55) : drawn);
        }
        return runners;
    }
}
