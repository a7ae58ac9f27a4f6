package cleave.chaos.lab;

import cleave.chaos.command.RangeOptions;
import cleave.deploy.CommandFailure;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The options of labs in their full form. Confined to its command. */
final class FullOptions {
    private static final double WARM_SECONDS = 20;
    private static final double SECONDS_PER_MINUTE = 60;

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // Set by picocli before anything runs.
    private CommandSpec command;

    @Option(
            names = "--full",
            description =
                    "run at length, with the default thresholds of the balancer, on a cluster of 3 masters and 3 servers")
    private boolean full;

    @Option(names = "--entities", paramLabel = "N", description = "with --full: entities a second")
    private @Nullable Integer entities;

    @Option(names = "--seconds", paramLabel = "N", description = "with --full: how long the load lasts")
    private @Nullable Integer seconds;

    @Option(
            names = "--loads",
            paramLabel = "X,...",
            split = ",",
            hideParamSyntax = true,
            description =
                    "with steady --full: one for each table, as parts of the threshold of splits (default: 0.5,0.9,1.1)")
    private List<Double> loads = List.of(0.5, 0.9, 1.1);

    @Option(
            names = "--settle",
            paramLabel = "MINUTES",
            description = "with steady --full: how long handoffs may begin (default: 5)")
    private double settle = 5;

    @Mixin
    private final RangeOptions ranges = new RangeOptions();

    /** The labs, in their full form if that was asked for. */
    List<Lab> of(List<Lab> labs) {
        if (!full) {
            List<String> others = List.of("--entities", "--seconds", "--loads", "--settle", "--size-mib", "--seed");
            others.stream()
                    .filter(name -> command.commandLine().getParseResult().hasMatchedOption(name))
                    .findFirst()
                    .ifPresent(name -> {
                        throw CommandFailure.usage(name + " needs --full");
                    });
            return labs;
        }
        FullForm form = new FullForm(
                entities,
                WARM_SECONDS,
                seconds,
                settle * SECONDS_PER_MINUTE,
                loads,
                ranges.rangeBytes(),
                ranges.seed(),
                Map.of());
        return labs.stream().map(lab -> full(lab, form)).toList();
    }

    private static Lab full(Lab lab, FullForm form) {
        Lab its = lab.full(form);
        if (its == null) {
            throw CommandFailure.usage("the lab " + lab.card().name() + " has no full form; these have one: "
                    + Labs.all().stream()
                            .filter(other -> other.full(form) != null)
                            .map(other -> other.card().name())
                            .collect(Collectors.joining(", ")));
        }
        return its;
    }
}
