package cleave.chaos.lab.faults;

import cleave.chaos.history.HistoryChecker;
import cleave.chaos.lab.Chart;
import cleave.chaos.lab.Lab;
import cleave.chaos.lab.LabCard;
import cleave.chaos.lab.LabCard.Course;
import cleave.chaos.lab.LabCard.Needs;
import cleave.chaos.lab.LabRun;
import cleave.chaos.sim.Bug;
import cleave.chaos.sim.Finding;
import cleave.chaos.sim.Simulation;
import cleave.deploy.role.Logs;
import cleave.server.opening.LogReplay;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.LongStream;

/** A rule is taken out of a simulated cluster, and the checks find it, by random faults and what clients see. */
final class PlantedBugLab implements Lab {
    private static final int SEEDS_MAX = 40;
    private static final int STORY_LINES_MAX = 24;
    private static final int LINE_MAX = 150;
    /** With what the rule says. */
    private static final List<Map.Entry<Bug, String>> BUGS = List.of(
            Map.entry(Bug.SEAL_SKIPPED, "a takeover seals the logs first"),
            Map.entry(Bug.ACKNOWLEDGED_BEFORE_DURABLE, "an answer waits until its record is durable"),
            Map.entry(Bug.TRANSACTION_TORN, "a transaction is one record"),
            Map.entry(Bug.REPLAY_PAST_THE_SEAL, "a replay ends at the sealed length"),
            Map.entry(Bug.DROP_FORGETS_A_RANGE, "a drop of a table reaches all its ranges"),
            Map.entry(Bug.EPOCH_COMPARED_FOR_VERSION, "a command names the version of its row"));

    private static final int BUGS_IF_SMALL = 3;

    @Override
    public LabCard card() {
        return new LabCard(
                Course.FAULT_TOLERANCE,
                "planted-bug",
                "Find the planted bug: a rule is taken out, and the checker tells the story",
                Needs.ENDPOINT,
                4,
                "In a simulated cluster a new owner reads the logs of a range without sealing them first (SEAL_SKIPPED). All else is as in"
                        + " production. Servers crash, pause and are cut off at random, under clients. Which check notices first?",
                List.of(
                        "The map: two servers own one range",
                        "The histories of the clients: no order of the operations explains their answers",
                        "Convergence: a range is never served again",
                        "None: with the epochs in the map, the seal is one precaution too many"),
                1,
                List.of(
                        "The map never has two owners for a key: the masters replace one by another in one command, with the bug or without it."
                                + " But the old owner does not read the map before it answers. It appends to its log, and if nobody sealed"
                                + " that, the append succeeds, and it acknowledges a write that the new owner has not replayed. A client that"
                                + " reads it back from the new owner misses it. That is visible from outside alone.",
                        "So the checks judge answers, not code: they record when each operation began, when it ended and what was answered, and"
                                + " search for an order that explains everything. If there is none, they drop operations for as long as the rest"
                                + " still has no explanation. What is left is the story.",
                        "A seed determines everything: faults, delays, what clients do. So the seed that found the bug is its test, and the same"
                                + " seeds without the bug show that the checker does not cry wolf.",
                        "Other rules break elsewhere: a command that is judged by the wrong version damages the map, and a replay beyond the"
                                + " seal ends in replicas that never serve again."),
                List.of(HistoryChecker.class, Bug.class, Simulation.class, LogReplay.class),
                "Replay the seed event by event, as the last figure says, and find the append after the takeover. Then take a rule out of the"
                        + " sources instead: cleave lab exercise.",
                "docs/simulation.md; Herlihy and Wing, \"Linearizability: a correctness condition for concurrent objects\" (1990)");
    }

    /** How soon a bug was found. Immutable. */
    private record Hunt(Bug bug, String rule, Simulation.Report report) {
        boolean isFound() {
            return !report.isRight();
        }

        Finding.By by() {
            return report.violations().get(0).by();
        }
    }

    @Override
    public void run(LabRun run) {
        Logs.nothing(); // Cores complain when a rule is missing, as they should.
        List<Hunt> hunts = new ArrayList<>();
        for (Map.Entry<Bug, String> bug : BUGS.subList(0, run.of(BUGS_IF_SMALL, BUGS.size()))) {
            run.progress("hunting " + bug.getKey());
            hunts.add(hunt(bug.getKey(), bug.getValue()));
        }
        long last = hunts.get(0).report().seed();
        List<Simulation.Report> without = LongStream.rangeClosed(1, last)
                .mapToObj(Simulation::run)
                .toList();
        report(run, hunts);
        story(run, hunts.get(0).report());
        claim(run, hunts, without);
    }

    /** The seeds from 1 on, until one shows the bug. */
    private static Hunt hunt(Bug bug, String rule) {
        Simulation.Report report = Simulation.run(1, bug, null);
        for (long seed = 2; report.isRight() && seed <= SEEDS_MAX; seed++) {
            report = Simulation.run(seed, bug, null);
        }
        return new Hunt(bug, rule, report);
    }

    private static void report(LabRun run, List<Hunt> hunts) {
        run.table(
                "Rules that were taken out, one at a time",
                List.of("rule", "bug", "first seed", "check", "operations"),
                hunts.stream()
                        .map(hunt -> List.of(
                                hunt.rule(),
                                hunt.bug().toString(),
                                Long.toString(hunt.report().seed()),
                                hunt.isFound() ? hunt.by().name().toLowerCase(Locale.ROOT) : "none",
                                Integer.toString(hunt.report().operations())))
                        .toList());
        run.draw(Chart.bars(
                "Seeds until a planted bug is found",
                "seeds",
                "rule that was taken out",
                hunts.stream().map(Hunt::rule).toList(),
                List.of(Chart.values(
                        "seeds",
                        hunts.stream()
                                .map(hunt -> (double) hunt.report().seed())
                                .toList()))));
    }

    /** What the checker says of the first bug, line by line. */
    private static void story(LabRun run, Simulation.Report report) {
        List<List<String>> lines = report.toString()
                .lines()
                .limit(STORY_LINES_MAX)
                .map(line -> List.of(line.length() > LINE_MAX ? line.substring(0, LINE_MAX) + " ..." : line))
                .toList();
        run.table("What the checker says of the first", List.of("the story"), lines);
        run.say("Replay it: cleave simulate --seed " + report.seed() + report.options() + " --trace");
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
                "a log that is not sealed shows in the histories of the clients",
                hunts.get(0).isFound() && hunts.get(0).by() == Finding.By.HISTORY,
                hunts.get(0).isFound() ? hunts.get(0).by().toString() : "nothing");
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
