package cleave.chaos.load;

import cleave.chaos.load.report.Condition;
import cleave.chaos.load.report.Search;
import cleave.chaos.load.report.Summary;
import cleave.chaos.load.workload.Workload;
import cleave.deploy.CommandFailure;
import cleave.deploy.ExitCode;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import picocli.CommandLine.Option;

/** The option that says when a load fails. Confined to the command's thread. */
final class FailIfOption {
    @Option(
            names = "--fail-if",
            paramLabel = "CONDITION",
            description =
                    "ends with 5 if this is so, such as 'p99 > 50ms', 'get p99.9 > 0.2s', 'errors > 0.1%%', 'rate < 950' or, with"
                            + " --verify, 'wrong > 0'; may be repeated. Figures: p50, p90, p99, p99.9, p99.99, max, errors,"
                            + " rate, wrong; before one, an operation of which it is. A limit of errors decides alone how"
                            + " many operations may fail")
    private List<String> texts = List.of();

    /** Fails if one of them is no condition. */
    List<Condition> conditions() {
        return parsed("--fail-if", texts, Condition::ofFailure);
    }

    /** The conditions of any option that takes some. */
    static List<Condition> parsed(String option, List<String> texts, Function<String, Condition> parser) {
        List<Condition> conditions = new ArrayList<>();
        for (String text : texts) {
            try {
                conditions.add(parser.apply(text));
            } catch (IllegalArgumentException wrong) {
                throw CommandFailure.usage(option + " " + wrong.getMessage());
            }
        }
        return conditions;
    }

    /** Fails if a condition is about operations that the workload does not have. */
    static void requireOperations(String option, List<Condition> conditions, Workload workload) {
        for (Condition each : conditions) {
            if (each.action() != null && !workload.mix().has(each.action())) {
                throw CommandFailure.usage(option + " '" + each.text() + "': the workload " + workload.name()
                        + " does no " + each.action().id() + "; it does " + workload.mix());
            }
        }
    }

    /** The summary with what became of each condition. */
    Summary judged(Summary summary) {
        return summary.judged(
                conditions().stream().map(each -> each.failing(summary)).toList());
    }

    /** The exit status by a summary that was judged: a condition goes before a failure. */
    int status(Summary judged) {
        if (judged.judgements().stream().anyMatch(each -> each.isFailed())) {
            return ExitCode.NOT_AS_DEMANDED;
        }
        Search search = judged.search();
        if (search != null) { // Its conditions say whether operations may fail.
            return search.isFound() ? ExitCode.OK : ExitCode.NOT_AS_DEMANDED;
        }
        boolean mayFail = conditions().stream().anyMatch(Condition::limitsAllErrors);
        boolean isRight = mayFail ? judged.verification().isRight() : judged.isRight();
        return isRight ? ExitCode.OK : ExitCode.FAILED;
    }
}
