package cleave.chaos.lab.faults;

import cleave.chaos.lab.Experiment;
import cleave.chaos.lab.LabRun;
import cleave.chaos.picture.Chart;
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
final class PlantedBugLab implements Experiment {
    private static final int SEEDS_MAX = 40;
    private static final int LINE_MAX = 150;
    /** The checks that see nothing but what clients are answered. */
    private static final Set<Finding.By> OF_ANSWERS =
            EnumSet.of(Finding.By.HISTORY, Finding.By.SCAN, Finding.By.TIMESTAMPS, Finding.By.TABLE);
    /** With what the rule says. */
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
    private record Hunt(Bug bug, String rule, long operations, Simulation.Report report) {
        boolean isFound() {
            return !report.isRight();
        }

        Finding.By by() {
            return report.violations().get(0).by();
        }
    }

    @Override
    public void run(LabRun run) {
        Logs.Silence silence = Logs.silence(); // Cores complain when a rule is missing, as they should.
        try {
            hunt(run);
        } finally {
            silence.close();
        }
    }

    private static void hunt(LabRun run) {
        List<Hunt> hunts = new ArrayList<>();
        for (Map.Entry<Bug, String> bug : BUGS.subList(0, run.of(BUGS_IF_SMALL, BUGS.size()))) {
            run.progress("hunting " + bug.getKey());
            hunts.add(hunt(bug.getKey(), bug.getValue()));
        }
        long last = hunts.get(0).report().seed();
        List<Simulation.Report> without =
                LongStream.rangeClosed(1, last).mapToObj(Simulation::run).toList();
        report(run, hunts);
        story(run, hunts.get(0).report());
        claim(run, hunts, without);
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

    private static void report(LabRun run, List<Hunt> hunts) {
        run.table(
                "Rules that were taken out, one at a time",
                List.of("rule", "bug", "found in seed", "by", "operations until then"),
                hunts.stream()
                        .map(hunt -> List.of(
                                hunt.rule(),
                                hunt.bug().toString(),
                                Long.toString(hunt.report().seed()),
                                hunt.isFound() ? hunt.by().name().toLowerCase(Locale.ROOT) : "none",
                                Long.toString(hunt.operations())))
                        .toList());
        run.draw(Chart.bars(
                "Operations of clients until a planted bug is found",
                "operations",
                "rule that was taken out",
                hunts.stream().map(Hunt::rule).toList(),
                List.of(Chart.values(
                        "operations",
                        hunts.stream().map(hunt -> (double) hunt.operations()).toList()))));
    }

    /** What the checks say of the first bug, and the shortest story that shows it. */
    private static void story(LabRun run, Simulation.Report report) {
        if (!report.isRight()) {
            run.table(
                    "What is said of seed " + report.seed(),
                    List.of("finding"),
                    List.of(List.of(shortened(report.violations().get(0).toString()))));
        }
        run.say("Replay it: ./cleave simulate --seed " + report.seed() + report.options() + " --trace");
        run.say(
                "Below, the sentences tell what the story is about, and the arrows what happened: without the seal, the log takes the append of"
                        + " the replaced owner, c2 is told DONE, and c1 then reads MISSING.");
        run.table(
                "The same bug in a story of a few messages: ./cleave simulate --scenario zombie-write --bug "
                        + Bug.SEAL_SKIPPED,
                List.of("story"),
                Scenario.named("zombie-write").play(1, Bug.SEAL_SKIPPED).told().stream()
                        .flatMap(String::lines)
                        .map(line -> List.of(shortened(line)))
                        .toList());
    }

    private static String shortened(String line) {
        return line.length() > LINE_MAX ? line.substring(0, LINE_MAX) + " ..." : line;
    }

    private static void claim(LabRun run, List<Hunt> hunts, List<Simulation.Report> without) {
        run.claim(
                "each missing rule is found by a check",
                hunts.stream().allMatch(Hunt::isFound),
                "within "
                        + hunts.stream()
                                .mapToLong(hunt -> hunt.report().seed())
                                .max()
                                .orElse(0)
                        + " seeds");
        run.claim(
                "a log that is not sealed shows in what clients are answered",
                hunts.get(0).isFound() && OF_ANSWERS.contains(hunts.get(0).by()),
                hunts.get(0).isFound() ? hunts.get(0).by().toString().toLowerCase(Locale.ROOT) : "nothing");
        run.claim(
                "with all rules the same seeds are right",
                without.stream().allMatch(Simulation.Report::isRight),
                without.size() + " seeds, "
                        + without.stream()
                                .mapToInt(Simulation.Report::operations)
                                .sum()
                        + " operations");
    }
}
