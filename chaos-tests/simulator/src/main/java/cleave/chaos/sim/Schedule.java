package cleave.chaos.sim;

import static java.nio.charset.StandardCharsets.UTF_8;

import cleave.chaos.sim.bugs.Bug;
import cleave.chaos.sim.faults.Fault;
import cleave.chaos.sim.faults.FaultKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What happens in a run of a seed, instead of what the seed would draw. Immutable.
 *
 * @param luck 0 for the delays of messages that the seed draws, another number for others
 * @param clients the numbers of those that work
 * @param isTableChurned a table is created and deleted all the time
 * @param untilNanos when the faults end, in virtual time
 * @param faults all of them, in order
 */
public record Schedule(
        int luck, SortedSet<Integer> clients, boolean isTableChurned, long untilNanos, List<Fault> faults) {
    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    private static final String FIRST_LINE = "# Faults of a simulated run. To repeat it: cleave simulate --faults FILE";

    public Schedule {
        clients = Collections.unmodifiableSortedSet(new TreeSet<>(clients));
        faults = List.copyOf(faults);
    }

    Schedule withFaults(List<Fault> others) {
        return new Schedule(luck, clients, isTableChurned, untilNanos, others);
    }

    /** The same faults, and other delays of messages. */
    Schedule withLuck(int other) {
        return new Schedule(other, clients, isTableChurned, untilNanos, faults);
    }

    /** The same faults, with whom they struck in a run; those that struck nobody stay as they are. */
    Schedule retold(List<Fault> struck) {
        return withFaults(faults.stream()
                .map(fault -> struck.stream()
                        .filter(each -> each.nanos() == fault.nanos() && each.kind() == fault.kind())
                        .findFirst()
                        .orElse(fault))
                .toList());
    }

    /** The kinds of its faults, in the order of {@link FaultKind}. */
    List<FaultKind> kinds() {
        return faults.stream().map(Fault::kind).distinct().sorted().toList();
    }

    /** Without the faults of other kinds. */
    Schedule withKinds(List<FaultKind> some) {
        return withFaults(
                faults.stream().filter(fault -> some.contains(fault.kind())).toList());
    }

    Schedule withClients(List<Integer> others) {
        return new Schedule(luck, new TreeSet<>(others), isTableChurned, untilNanos, faults);
    }

    Schedule withoutTableChurn() {
        return new Schedule(luck, clients, false, untilNanos, faults);
    }

    /** Ends then, and with it all that had not struck yet. */
    Schedule until(long nanos) {
        return new Schedule(
                luck,
                clients,
                isTableChurned,
                Math.min(untilNanos, nanos),
                faults.stream().filter(fault -> fault.nanos() <= nanos).toList());
    }

    /** One line each, for readers. */
    public List<String> told() {
        List<String> lines = new ArrayList<>();
        faults.forEach(fault -> lines.add("  " + fault));
        lines.add(String.format(
                Locale.ROOT,
                "  %8.3f s  no more faults; clients at work: %s%s",
                untilNanos / 1e9,
                clients.stream().map(client -> "c" + client).collect(Collectors.joining(", ")),
                isTableChurned ? ", and one that creates and deletes a table" : ""));
        return lines;
    }

    /**
     * A schedule in a file, with the run to which it belongs: a change of any of these is another run. Immutable.
     *
     * @param kinds from which the seed chose; null for all
     */
    public record Kept(long seed, Bug bug, @Nullable SortedSet<FaultKind> kinds, Schedule schedule) {
        /** The options by which the run is repeated. */
        Simulation.Options options(String file) {
            return new Simulation.Options(bug, kinds, schedule, file);
        }

        public void write(Path file) throws IOException {
            List<String> lines = new ArrayList<>();
            lines.add(FIRST_LINE);
            lines.add("seed " + seed);
            lines.add("bug " + bug.name());
            if (kinds != null) {
                lines.add("kinds " + FaultKind.text(kinds));
            }
            lines.add("luck " + schedule.luck());
            lines.add("clients "
                    + schedule.clients().stream().map(String::valueOf).collect(Collectors.joining(",")));
            lines.add("churn " + schedule.isTableChurned());
            lines.add(String.format(
                    Locale.ROOT,
                    "until %d.%09d",
                    schedule.untilNanos() / NANOS_PER_SECOND,
                    schedule.untilNanos() % NANOS_PER_SECOND));
            schedule.faults().forEach(fault -> lines.add(fault.line()));
            Files.write(file, lines, UTF_8);
        }

        /** Reads what {@link #write} wrote; an IllegalArgumentException names the line that it is not. */
        public static Kept read(Path file) throws IOException {
            List<String> lines = Files.readAllLines(file, UTF_8);
            Reading reading = new Reading();
            for (int i = 0; i < lines.size(); i++) {
                try {
                    reading.take(lines.get(i).strip());
                } catch (IllegalArgumentException wrong) {
                    throw new IllegalArgumentException("line " + (i + 1) + ": " + wrong.getMessage());
                }
            }
            return reading.read();
        }
    }

    /** A file, line by line. */
    private static final class Reading {
        private long seed = -1;
        private Bug bug = Bug.NONE;
        private @Nullable SortedSet<FaultKind> kinds;
        private int luck;
        private final TreeSet<Integer> clients = new TreeSet<>();
        private boolean isTableChurned;
        private long untilNanos = -1;
        private final List<Fault> faults = new ArrayList<>();

        void take(String line) {
            if (line.isEmpty() || line.startsWith("#")) {
                return;
            }
            String[] words = line.split(" ", 2);
            String value = words.length < 2 ? "" : words[1];
            switch (words[0]) {
                case "seed" -> seed = Long.parseLong(value);
                case "bug" -> bug = Bug.valueOf(value);
                case "luck" -> luck = Integer.parseInt(value);
                case "kinds" -> kinds = FaultKind.parse(value);
                case "clients" ->
                    Arrays.stream(value.split(",")).map(Integer::valueOf).forEach(clients::add);
                case "churn" -> isTableChurned = Boolean.parseBoolean(value);
                case "until" -> untilNanos = Math.round(Double.parseDouble(value) * NANOS_PER_SECOND);
                default -> faults.add(Fault.parse(line));
            }
        }

        Kept read() {
            if (seed < 0 || untilNanos < 0 || !Set.copyOf(Simulation.clients()).containsAll(clients)) {
                throw new IllegalArgumentException("it names no seed, no end, or a client that there is not");
            }
            return new Kept(seed, bug, kinds, new Schedule(luck, clients, isTableChurned, untilNanos, faults));
        }
    }
}
