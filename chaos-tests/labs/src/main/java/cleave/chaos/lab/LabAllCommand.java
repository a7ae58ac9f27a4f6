package cleave.chaos.lab;

import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code cleave lab all}. */
@Command(
        name = "all",
        mixinStandardHelpOptions = true,
        header = "run every lab, and write a page of all pictures",
        description =
                "Ends with status 0 only if every claim of every lab holds. Takes less than an hour on two cores.")
final class LabAllCommand implements Callable<Integer> {
    @Mixin
    private final LabOptions options = new LabOptions();

    @Override
    public Integer call() throws Exception {
        List<Report> reports = options.runAll(Labs.all());
        return reports.stream().allMatch(Report::isRight) ? 0 : 1;
    }
}
