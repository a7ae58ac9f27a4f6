package cleave.chaos.fault;

import cleave.chaos.command.PictureOption;
import cleave.chaos.command.RecordOption;
import cleave.chaos.command.RunFolder;
import cleave.chaos.command.RunOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;

/** A command that carries trials out in a folder, and prints and draws what clients saw. */
abstract class TrialRun implements Callable<Integer> {
    @Mixin
    final RunOptions run = new RunOptions();

    @Mixin
    private final PictureOption picture = new PictureOption();

    @Mixin
    final RecordOption record = new RecordOption();

    /** Carries them out, and records the cluster from when it is ready. */
    abstract List<Report> reports(Path folder) throws IOException;

    @Override
    public Integer call() throws IOException {
        return run.inFolder(this::isRight);
    }

    private boolean isRight(RunFolder folder) throws IOException {
        Path drawn = picture.in(folder);
        record.check();
        record.keptIn(folder);
        run.progress("starting the cluster and splitting its table");
        List<Report> reports = reports(folder.path());
        run.print(ReportText.of(reports));
        run.print(PictureOption.write(drawn, TrialPicture.of(reports)) + record.told());
        return reports.stream().allMatch(Report::isRight);
    }
}
