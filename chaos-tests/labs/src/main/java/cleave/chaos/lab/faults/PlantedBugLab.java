package cleave.chaos.lab.faults;

import cleave.chaos.lab.LabRun;
import cleave.chaos.lab.Measurement;
import cleave.chaos.picture.MessageDiagram;
import cleave.chaos.sim.Scenario;
import cleave.chaos.sim.Simulation;
import cleave.chaos.sim.bugs.Bug;
import cleave.chaos.sim.world.Finding;
import cleave.deploy.role.Logs;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;

/** A rule is taken out of a simulated cluster, and the checks find it, by random faults and what clients see. */
final class PlantedBugLab implements Measurement {
    private static final int SEEDS_MAX = 40;
    private static final int LINE_MAX = 150;
    private static final String NONE = "none";
    /** The checks that see nothing but what clients are answered. */
    private static final Set<Finding.By> OF_ANSWERS =
            EnumSet.of(Finding.By.HISTORY, Finding.By.SCAN, Finding.By.TIMESTAMPS, Finding.By.TABLE);
    /** The rules that are taken out. */
    private static final List<Map.Entry<Bug, String>> BUGS = List.of(
            Map.entry(Bug.SEAL_SKIPPED, "a takeover seals the logs first"),
            Map.entry(Bug.ACKNOWLEDGED_BEFORE_DURABLE, "an answer waits until its record is durable"),
            Map.entry(Bug.TRANSACTION_TORN, "a transaction is one record"),
            Map.entry(Bug.REPLAY_PAST_THE_SEAL, "a replay ends at the sealed length"),
            Map.entry(Bug.EPOCH_COMPARED_FOR_VERSION, "a command names the version of its row"));

    private static final int BUGS_IF_SMALL = 3;

    /**
     * How soon a bug was found. Immutable.
     *
     * @param operations of the clients in all seeds until then
     * @param report of the last seed
     */
    record Hunt(Bug bug, String rule, long operations, Simulation.Report report) {
        boolean isFound() {
            return !report.isRight();
        }

        String by() {
            return isFound() ? report.violations().get(0).by().name().toLowerCase(Locale.ROOT) : NONE;
        }

        long seed() {
            return report.seed();
        }
    }

    /**
     * The measurements of this lab. Immutable.
     *
     * @param isInAnswers the first bug is found by what clients are answered
     * @param said of the first bug, by the checks
     * @param replay the options that replay its seed
     * @param story the shortest one that shows it, line by line
     * @param diagram the same
     * @param right how many of the seeds up to the first bug's are right with all rules
     * @param operations of the clients in these
     */
    record Seen(
            List<Hunt> hunts,
            boolean isInAnswers,
            String said,
            String replay,
            List<String> story,
            MessageDiagram diagram,
            long right,
            int operations) {}

    @Override
    public Seen of(LabRun run) {
        Logs.Silence silence = Logs.silence(); // Cores complain when a rule is missing, as they should.
        try {
            return hunt(run);
        } finally {
            silence.close();
        }
    }

    private static Seen hunt(LabRun run) {
        List<Hunt> hunts = new ArrayList<>();
        for (Map.Entry<Bug, String> bug : BUGS.subList(0, run.of(BUGS_IF_SMALL, BUGS.size()))) {
            run.progress("hunting " + bug.getKey());
            hunts.add(hunt(bug.getKey(), bug.getValue()));
        }
        Simulation.Report first = hunts.get(0).report();
        List<Simulation.Report> without = LongStream.rangeClosed(1, first.seed())
                .mapToObj(Simulation::run)
                .toList();
        boolean isFound = hunts.get(0).isFound();
        Scenario story = Scenario.named("zombie-write");
        Scenario.Report played = story.play(1, Bug.SEAL_SKIPPED);
        return new Seen(
                hunts,
                isFound && OF_ANSWERS.contains(first.violations().get(0).by()),
                isFound ? shortened(first.violations().get(0).toString()) : NONE,
                "--seed " + first.seed() + first.options(),
                played.told().stream()
                        .flatMap(String::lines)
                        .map(PlantedBugLab::shortened)
                        .toList(),
                Stories.diagram(story, Bug.SEAL_SKIPPED, played),
                without.stream().filter(Simulation.Report::isRight).count(),
                without.stream().mapToInt(Simulation.Report::operations).sum());
    }

    /** The seeds from 1 on, until one shows the bug. */
    private static Hunt hunt(Bug bug, String rule) {
        Simulation.Report report = Simulation.run(1, bug, null);
        long operations = report.operations();
        for (long seed = 2; report.isRight() && seed <= SEEDS_MAX; seed++) {
            report = Simulation.run(seed, bug, null);
            operations += report.operations();
        }
        return new Hunt(bug, rule, operations, report);
    }

    private static String shortened(String line) {
        return line.length() > LINE_MAX ? line.substring(0, LINE_MAX) + " ..." : line;
    }
}
