package cleave.advisories;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.maven.artifact.versioning.ComparableVersion;
import org.jspecify.annotations.Nullable;

/**
 * The versions between the events of one range of an advisory, in Maven's order of versions. Immutable.
 *
 * @param events in the order of their versions
 * @param limits none of these versions and of those above them is in the range; none: it has no limit
 */
record VersionRange(List<Event> events, List<ComparableVersion> limits) {
    /** In the order in which they count at the same version. */
    private enum Kind {
        INTRODUCED,
        LAST_AFFECTED,
        FIXED
    }

    /** @param version null before every version */
    private record Event(Kind kind, @Nullable ComparableVersion version) {
        /** How the version compared with the event's: negative if it is older. */
        int compare(ComparableVersion other) {
            return version == null ? 1 : other.compareTo(version);
        }
    }

    static VersionRange of(Json range) {
        Comparator<Event> order = Comparator.comparing(
                Event::version, Comparator.nullsFirst(Comparator.<ComparableVersion>naturalOrder()));
        List<Event> events = range.objects("events")
                .flatMap(VersionRange::events)
                .sorted(order.thenComparing(Event::kind))
                .toList();
        List<ComparableVersion> limits = range.objects("events")
                .map(event -> event.text("limit"))
                .filter(limit -> !limit.isEmpty() && !limit.equals("*"))
                .map(ComparableVersion::new)
                .toList();
        return new VersionRange(events, limits);
    }

    private static Stream<Event> events(Json event) {
        if (event.has("introduced")) {
            String version = event.text("introduced");
            return Stream.of(new Event(Kind.INTRODUCED, version.equals("0") ? null : new ComparableVersion(version)));
        }
        if (event.has("fixed")) {
            return Stream.of(new Event(Kind.FIXED, new ComparableVersion(event.text("fixed"))));
        }
        if (event.has("last_affected")) {
            return Stream.of(new Event(Kind.LAST_AFFECTED, new ComparableVersion(event.text("last_affected"))));
        }
        return Stream.empty();
    }

    boolean contains(ComparableVersion version) {
        boolean affected = false;
        for (Event event : events) {
            int compared = event.compare(version);
            affected = switch (event.kind) {
                case INTRODUCED -> affected || compared >= 0;
                case FIXED -> affected && compared < 0;
                case LAST_AFFECTED -> affected && compared <= 0;
            };
        }
        return affected && (limits.isEmpty() || limits.stream().anyMatch(limit -> version.compareTo(limit) < 0));
    }

    /** The first version above this one that is fixed. */
    Optional<ComparableVersion> fixAfter(ComparableVersion version) {
        return events.stream()
                .filter(event -> event.kind == Kind.FIXED && event.compare(version) < 0)
                .flatMap(event -> Stream.ofNullable(event.version))
                .findFirst();
    }
}
