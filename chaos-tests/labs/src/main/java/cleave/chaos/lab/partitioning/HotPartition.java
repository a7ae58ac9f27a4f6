package cleave.chaos.lab.partitioning;

import cleave.chaos.lab.Experiment;
import cleave.chaos.lab.LabClient;
import cleave.chaos.lab.LabEntity;
import cleave.chaos.lab.LabRun;
import cleave.chaos.lab.LabSystem;
import cleave.chaos.lab.partitioning.RangeWatch.Happening;
import cleave.chaos.load.Ask;
import cleave.chaos.load.SteadyLoad;
import cleave.chaos.picture.Chart;
import cleave.chaos.picture.Chart.Mark;
import cleave.chaos.picture.Chart.Series;
import cleave.client.Requests;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;

/** A partition is never split: too much load on one is refused, and the masters say why. */
final class HotPartition implements Experiment {
    /** The first and the last are left in peace, the second is the popular one, and the others have the load of the second phase. */
    private static final int PARTITIONS = 9;

    private static final int ONE = 1;
    private static final int SIX = 6;
    /** Of a partition, and of a request. */
    private static final int ENTITIES = 20;

    private static final double REQUESTS_PER_SECOND = 20;
    /** A load is known once it has delivered as much as it can in this time, and is reported with this part of it at least. */
    private static final int KNOWN_SECONDS = 4;

    private static final double KNOWN_PART = 0.75;
    private static final int LIMIT = LabSystem.PARTITION_ENTITIES_PER_SECOND;
    private static final String POPULAR = "popular partition";
    private static final Duration KNOWN_MAX = Duration.ofSeconds(30);
    private static final Duration DECIDED_MAX = Duration.ofSeconds(60);
    private static final Map<String, String> LOW = Map.of(
            "balancer.split", "true",
            "balancer.merge", "false",
            "balancer.split-load", "100",
            "balancer.split-hits", "20",
            "balancer.split-hot-seconds", "1",
            "balancer.split-window-seconds", "2",
            "balancer.refusal-pause", "1s");

    /** Counts of a load at one time. */
    private record Sample(double seconds, long answered, long refused) {}

    /** A load that has ended. Immutable. */
    private record Phase(double from, double until, long answered, long refused, long failed, List<Sample> samples) {
        double seconds() {
            return until - from;
        }
    }

    @Override
    public void run(LabRun run) throws IOException {
        run.changeSettings(Ranges.REST);
        try (LabClient client = LabClient.open(run.endpoint())) {
            String table = client.createTable(run, "Popular");
            client.load(table, entities());
            try (RangeWatch watch = new RangeWatch(run, table, key(0), key(PARTITIONS - 1))) {
                int atFirst = watch.latest().parts().size();
                run.progress("one partition");
                Phase one = phase(
                        run,
                        watch,
                        LIMIT,
                        (requests, random) -> read(requests, table, ONE),
                        () -> !watch.all("verdict").isEmpty());
                int afterOne = watch.latest().parts().size();
                run.progress("six partitions");
                Phase six = phase(
                        run,
                        watch,
                        REQUESTS_PER_SECOND * ENTITIES,
                        (requests, random) -> read(requests, table, ONE + 1 + random.nextInt(SIX)),
                        () -> watch.latest().parts().size() > afterOne);
                report(run, watch, one, six);
                claims(run, watch, one, six, List.of(atFirst, afterOne));
            }
        }
    }

    private static String key(int number) {
        return "p" + number;
    }

    private static List<LabEntity> entities() {
        List<LabEntity> entities = new ArrayList<>();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            for (int row = 0; row < ENTITIES; row++) {
                entities.add(LabEntity.of(key(partition), String.format(Locale.ROOT, "%04d", row))
                        .with("Number", row));
            }
        }
        return entities;
    }

    private static Ask read(Requests requests, String table, int partition) {
        return Ask.of(PartitionRead.of(requests, table, key(partition)));
    }

    private interface Condition {
        boolean holds();
    }

    /**
     * A load that lasts some seconds, and until a condition holds.
     *
     * @param delivered entities per second that the service can deliver of it
     */
    private static Phase phase(
            LabRun run, RangeWatch watch, double delivered, SteadyLoad.Demand demand, Condition isDecided)
            throws IOException {
        List<Sample> samples = new ArrayList<>();
        double from = watch.now();
        SteadyLoad load = SteadyLoad.started(run.endpoint(), REQUESTS_PER_SECOND, demand);
        try (load) {
            Predicate<RangeWatch.Moment> sampled = moment -> {
                samples.add(new Sample(watch.now(), load.answered(), load.refused()));
                return false;
            };
            // The masters must know this load, and it must outweigh the writes that filled the table, before the
            // balancer judges by it.
            boolean isKnown = watch.until(
                    moment -> sampled.test(moment)
                            || (load.answered() * ENTITIES >= KNOWN_SECONDS * delivered
                                    && moment.parts().stream()
                                                    .mapToDouble(RangeWatch.Part::entitiesPerSecond)
                                                    .sum()
                                            >= KNOWN_PART * delivered),
                    KNOWN_MAX);
            if (!isKnown) {
                run.progress("the masters know of less than this load: is the machine too slow for it?");
            }
            run.changeSettings(LOW);
            watch.until(sampled, Duration.ofSeconds(run.of(1, 17)));
            watch.until(moment -> sampled.test(moment) || isDecided.holds(), DECIDED_MAX);
        }
        return new Phase(from, watch.now(), load.answered(), load.refused(), load.failed(), samples);
    }

    private static Series rates(String name, List<Phase> phases, ToLong count) {
        List<Double> x = new ArrayList<>();
        List<Double> y = new ArrayList<>();
        for (Phase phase : phases) {
            Sample before = new Sample(phase.from(), 0, 0);
            for (Sample sample : phase.samples()) {
                double seconds = sample.seconds() - before.seconds();
                if (seconds >= 1) {
                    x.add(sample.seconds());
                    y.add(Math.rint((count.of(sample) - count.of(before)) * ENTITIES / seconds));
                    before = sample;
                }
            }
        }
        return new Series(name, x, y);
    }

    private interface ToLong {
        long of(Sample sample);
    }

    private static void report(LabRun run, RangeWatch watch, Phase one, Phase six) {
        run.say(String.format(
                Locale.ROOT,
                "Clients ask for %,.0f entities/s by %.0f queries a second, and never again for what was refused: first from one partition, then from"
                        + " six others of the same table. A range is hot above 100 entities/s here.",
                REQUESTS_PER_SECOND * ENTITIES,
                REQUESTS_PER_SECOND));
        run.table(
                "The same load twice",
                List.of("partitions", "seconds", "answered", "refused with 503", "entities/s delivered"),
                List.of(row("1", one), row("6", six)));
        run.table(
                "What the masters' leader did, and why",
                List.of("when", "what", "why", "at"),
                watch.happenings().stream()
                        .map(each -> List.of(
                                String.format(Locale.ROOT, "%.1f s", each.seconds()),
                                each.kind(),
                                each.why(),
                                (each.figure("partition") + each.figure("at")).replaceAll("\\d+/", "")))
                        .toList());
        List<Mark> marks = new ArrayList<>(watch.marks());
        marks.add(new Mark(six.from(), "six partitions"));
        run.draw(Chart.lines(
                        "What is delivered and what is refused of 400 entities/s",
                        "entities/s",
                        "seconds",
                        List.of(
                                rates("delivered", List.of(one, six), Sample::answered),
                                rates("refused with 503", List.of(one, six), Sample::refused)))
                .marked(marks));
    }

    private static List<String> row(String partitions, Phase phase) {
        return List.of(
                partitions,
                String.format(Locale.ROOT, "%.1f", phase.seconds()),
                Long.toString(phase.answered()),
                Long.toString(phase.refused()),
                String.format(Locale.ROOT, "%,.0f", phase.answered() * ENTITIES / phase.seconds()));
    }

    private static void claims(LabRun run, RangeWatch watch, Phase one, Phase six, List<Integer> ranges) {
        List<Happening> verdicts = watch.all("verdict").stream()
                .filter(each -> each.why().startsWith(POPULAR))
                .toList();
        run.claim(
                "under load on one partition its range is not split",
                ranges.get(0).equals(ranges.get(1)),
                Ranges.counted(ranges.get(1)));
        run.claim(
                "instead, the leader's verdict names the partition",
                !verdicts.isEmpty() && verdicts.get(0).figure("partition").endsWith("/" + key(ONE)),
                verdicts.isEmpty() ? "no verdict" : verdicts.get(0).figure("partition"));
        double most = LIMIT * (one.seconds() + 1) + SteadyLoad.CLIENTS * ENTITIES;
        run.claim(
                "the partition delivers no more than its bucket holds and gets, and what is under way; the rest is refused",
                one.answered() * ENTITIES <= most && one.refused() > 0,
                String.format(
                        Locale.ROOT,
                        "%,d entities in %.1f s, at most %,.0f; %,d requests refused",
                        one.answered() * ENTITIES,
                        one.seconds(),
                        most,
                        one.refused()));
        run.claim(
                "the same load on six partitions is not refused, but for one in twenty requests at most while the range is split",
                six.refused() * 20 <= six.answered() && six.answered() > 0,
                six.refused() + " of " + (six.answered() + six.refused()) + " refused");
        run.claim(
                "and its range is split",
                watch.all("split").stream().anyMatch(each -> each.why().startsWith("hot: ")),
                watch.latest().parts().size() + " ranges");
        run.claim(
                "no request failed in another way", one.failed() + six.failed() == 0, one.failed() + six.failed() + "");
    }
}
