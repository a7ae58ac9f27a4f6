package cleave.chaos.load;

import cleave.chaos.load.report.Marks;
import cleave.chaos.load.report.Summary;
import cleave.deploy.CommandFailure;
import cleave.deploy.admin.AdminClient;
import cleave.deploy.admin.MastersOption;
import java.util.function.Consumer;
import java.util.function.Function;

/** Adds to reports what happened to ranges, if masters were named. Confined to the command's thread. A report without marks is still a report. */
final class RangeMarks {
    private final TargetOption target;
    private final Consumer<String> progress;

    RangeMarks(TargetOption target, Consumer<String> progress) {
        this.target = target;
        this.progress = progress;
    }

    /** The number of the masters' last event; 0 if none were named. A master that was named must answer before the load. */
    long begin() {
        MastersOption masters = target.masters();
        return masters == null ? 0 : ask(masters, Marks::last);
    }

    /** The summary of a run with its marks. */
    Summary on(Summary summary, long before) {
        MastersOption masters = target.masters();
        if (masters == null) {
            return summary;
        }
        try {
            return summary.marked(ask(
                    masters,
                    client -> Marks.since(client, before, summary.setting().started())));
        } catch (CommandFailure silent) {
            progress.accept("the report has no marks: " + silent.getMessage());
            return summary;
        }
    }

    private static <T> T ask(MastersOption masters, Function<AdminClient, T> question) {
        try (AdminClient client = masters.client()) {
            return question.apply(client);
        }
    }
}
