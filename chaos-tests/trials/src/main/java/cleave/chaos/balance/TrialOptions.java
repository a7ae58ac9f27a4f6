package cleave.chaos.balance;

import cleave.chaos.command.PictureOption;
import cleave.chaos.command.RangeOptions;
import cleave.chaos.command.RunFolder;
import cleave.chaos.command.RunOptions;
import cleave.deploy.cluster.DfsOption;
import java.io.IOException;
import java.nio.file.Path;
import picocli.CommandLine.Mixin;

/**
 * The common options of all trials: where they run, what they start with, and what they leave behind. Confined to its
 * command.
 */
final class TrialOptions {
    private static final double WARM_SECONDS = 20;

    @Mixin
    private final RunOptions run = new RunOptions();

    @Mixin
    private final DfsOption dfs = new DfsOption();

    @Mixin
    private final RangeOptions ranges = new RangeOptions();

    @Mixin
    private final PictureOption picture = new PictureOption();

    /** A trial on a cluster. */
    interface Course {
        Report run(Trial trial) throws IOException;
    }

    LoadShape shape(double entities, double seconds) {
        return new LoadShape(entities, WARM_SECONDS, seconds, ranges.rangeBytes(), ranges.seed());
    }

    /** Starts a cluster, runs a trial, and prints and draws its result. Returns the exit status. */
    int execute(Course course) throws IOException {
        return run.inFolder(folder -> isMet(folder, course));
    }

    private boolean isMet(RunFolder folder, Course course) throws IOException {
        Path drawn = picture.in(folder);
        try (Trial trial =
                Trial.started(Trial.plan(folder.path()).dfs(dfs.plan()).atFullSpeed("512m"), run::progress)) {
            Report report = course.run(trial);
            run.print(report.text() + PictureOption.write(drawn, Picture.of(report)));
            return report.isMet();
        }
    }
}
