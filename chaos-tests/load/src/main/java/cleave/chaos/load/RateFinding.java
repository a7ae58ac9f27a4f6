package cleave.chaos.load;

import cleave.chaos.load.report.Condition;
import cleave.chaos.load.report.Judgement;
import cleave.chaos.load.report.Search;
import cleave.chaos.load.report.Summary;
import cleave.chaos.load.run.RateSearch;
import cleave.chaos.load.run.Schedule;
import cleave.chaos.load.run.Step;
import cleave.chaos.load.workload.Workload;
import cleave.deploy.CommandFailure;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Puts a load on in steps until the greatest rate that keeps some conditions is known. Confined to its command. */
final class RateFinding {
    private final List<Condition> conditions;
    private final double operationsNeeded;
    private final boolean mayFail;
    private final Consumer<String> progress;

    /** One step in an open loop. */
    interface Load {
        Summary at(double rate, double seconds) throws IOException;
    }

    /** @param workload of the load, whose operations the conditions are about */
    RateFinding(List<Condition> conditions, Workload workload, Consumer<String> progress) {
        this.conditions = conditions;
        this.progress = progress;
        this.mayFail = conditions.stream().anyMatch(Condition::limitsAllErrors);
        this.operationsNeeded = conditions.stream()
                .mapToDouble(each -> each.operationsNeeded()
                        / (each.action() == null ? 1 : workload.mix().share(each.action())))
                .max()
                .orElse(0);
    }

    /** How long a step at a rate takes at least, so that its figures are more than the chance of a few operations. */
    double seconds(double rate, double secondsMin) {
        return Math.max(secondsMin, Math.ceil(operationsNeeded / rate));
    }

    /**
     * Finds it.
     *
     * @param secondsMin of each step
     * @return the summary of the step at the rate that was found, or of the last one if there is none, with all steps
     * @throws CommandFailure if nothing succeeds in two steps in a row, which is no matter of their rate
     */
    Summary find(double first, double secondsMin, Load load) throws IOException {
        List<Search.Try> tries = new ArrayList<>();
        List<Step> steps = new ArrayList<>();
        Summary shown = null;
        RateSearch search = RateSearch.from(first);
        while (!search.isEnded()) {
            double rate = search.rate();
            double seconds = seconds(rate, secondsMin);
            progress.accept(String.format(
                    Locale.ROOT,
                    "step %d: %s/s for %s s",
                    steps.size() + 1,
                    Schedule.text(rate),
                    Schedule.text(seconds)));
            Summary step = load.at(rate, seconds);
            if (step.total().done() == 0 && search.isRepeated()) {
                throw CommandFailure.failed("nothing succeeded at " + Schedule.text(rate) + "/s, twice: "
                        + step.failures().stream().findFirst().orElse("no operation ended"));
            }
            Search.Try judged = judged(rate, step);
            progress.accept(judged.toString());
            tries.add(judged);
            steps.add(step(rate, seconds, step));
            shown = judged.isKept() || search.kept() == 0 ? step : shown;
            search = search.after(judged.isKept());
        }
        if (shown == null) {
            throw new IllegalStateException("a search without a step");
        }
        return shown.searched(
                steps,
                new Search(conditions.stream().map(Condition::text).toList(), search.kept(), search.broken(), tries));
    }

    /** A step also breaks the conditions if its rate was not reached, or if operations failed and no condition says how many may. */
    private Search.Try judged(double rate, Summary step) {
        List<Judgement> each =
                conditions.stream().map(condition -> condition.keeping(step)).toList();
        List<String> found = each.stream().map(Judgement::found).collect(Collectors.toCollection(ArrayList::new));
        long failed = step.total().failed();
        if (failed > 0 && !mayFail) {
            found.add(String.format(Locale.ROOT, "%,d operations failed", failed));
        }
        boolean isKept =
                each.stream().noneMatch(Judgement::isFailed) && step.isRateReached() && (failed == 0 || mayFail);
        if (!step.isRateReached() && found.stream().noneMatch(text -> text.contains("was not reached"))) {
            found.add("the rate was not reached");
        }
        return new Search.Try(rate, isKept, String.join(", ", found));
    }

    private static Step step(double rate, double seconds, Summary of) {
        return new Step(
                rate,
                seconds,
                of.total().operations() + of.neverSent(),
                of.total().done(),
                of.total().failed(),
                of.latency());
    }
}
