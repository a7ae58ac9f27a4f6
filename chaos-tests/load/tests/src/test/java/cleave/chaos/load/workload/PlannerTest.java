package cleave.chaos.load.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PlannerTest {
    private static final int MANY = 20_000;

    private static Workload workload(String... lines) {
        return WorkloadFile.parse("test", "test.properties", String.join("\n", lines));
    }

    private static List<Operation> planned(Workload workload, long seed, int count) {
        Planner planner = new Planner(workload, new Items(workload.shape().items()), "run", seed);
        return IntStream.range(0, count).mapToObj(i -> planner.next()).toList();
    }

    private static Map<String, Long> byPartition(List<Operation> operations) {
        return operations.stream()
                .collect(Collectors.groupingBy(operation -> operation.key().partition(), Collectors.counting()));
    }

    @Test
    void equalSeedsGiveEqualOperationsAndOthersGiveOthers() {
        Workload mixed = workload("mix.get=1", "mix.insert=1", "mix.transaction=1", "distribution=zipfian");

        assertThat(planned(mixed, 7, 100)).isEqualTo(planned(mixed, 7, 100)).isNotEqualTo(planned(mixed, 8, 100));
    }

    @Test
    void actionsHaveTheSharesOfTheirWeights() {
        Map<Action, Long> seen = planned(workload("mix.get=3", "mix.merge=1"), 1, MANY).stream()
                .collect(Collectors.groupingBy(Operation::action, Collectors.counting()));

        assertThat(seen).containsOnlyKeys(Action.GET, Action.MERGE);
        assertThat(seen.getOrDefault(Action.GET, 0L) / (double) MANY).isEqualTo(0.75, within(0.01));
    }

    @Test
    void uniformMeansAllPartitionsAlike() {
        Map<String, Long> seen = byPartition(planned(workload("mix.get=1", "partitions=10"), 1, MANY));

        assertThat(seen).hasSize(10);
        assertThat(seen.values()).allMatch(count -> count > MANY / 10 * 0.9 && count < MANY / 10 * 1.1);
    }

    @Test
    void hotMeansItsShareInOnePartitionForInsertsToo() {
        Workload hot = workload(
                "mix.get=1", "mix.insert=1", "partitions=10", "distribution=hot", "distribution.hot-share=0.7");

        for (Action action : List.of(Action.GET, Action.INSERT)) {
            List<Operation> its = planned(hot, 1, MANY).stream()
                    .filter(operation -> operation.action() == action)
                    .toList();
            double most = byPartition(its).values().stream()
                    .max(Comparator.naturalOrder())
                    .orElse(0L);
            assertThat(most / its.size()).as("%s", action).isEqualTo(action == Action.GET ? 0.7 : 0.73, within(0.02));
        }
    }

    @Test
    void zipfianPrefersFewItemsThatLieAnywhere() {
        Map<Long, Long> seen = planned(workload("mix.get=1", "distribution=zipfian"), 1, MANY).stream()
                .collect(Collectors.groupingBy(Operation::item, Collectors.counting()));
        List<Long> popular = seen.entrySet().stream()
                .sorted(Map.Entry.<Long, Long>comparingByValue().reversed())
                .limit(10)
                .map(Map.Entry::getKey)
                .toList();

        assertThat(popular.stream().mapToLong(item -> seen.get(item)).sum()).isGreaterThan(MANY / 20);
        assertThat(popular).anyMatch(item -> item > 2500).anyMatch(item -> item < 7500);
    }

    @Test
    void latestFollowsWhatWasInsertedAndNeverReadsAhead() {
        Workload latest = workload("mix.get=1", "distribution=latest");
        Items items = new Items(latest.shape().items());
        Planner reader = new Planner(latest, items, "run", 1);
        Planner writer = new Planner(workload("mix.insert=1"), items, "run", 2);
        List<Operation> inserted =
                IntStream.range(0, 1000).mapToObj(i -> writer.next()).toList();

        assertThat(IntStream.range(0, 1000).mapToLong(i -> reader.next().item()))
                .allMatch(item -> item < 10_000);
        inserted.subList(1, 1000).forEach(operation -> items.inserted(operation.item(), true));
        assertThat(reader.next().item()).as("the first insert has not ended").isLessThan(10_000);
        items.inserted(inserted.get(0).item(), true);
        assertThat(IntStream.range(0, 1000)
                        .mapToLong(i -> reader.next().item())
                        .filter(item -> item >= 10_000)
                        .count())
                .isGreaterThan(500);
    }

    @ParameterizedTest
    @EnumSource(Layout.class)
    void everyItemHasAKeyOfItsOwnAndAPlaceThatLeadsBackToIt(Layout layout) {
        Workload workload = workload("mix.insert=1", "layout=" + layout.id(), "partitions=20", "rows=7");
        Set<EntityKey> keys = new HashSet<>();

        LongStream.range(0, 140)
                .mapToObj(item -> Planner.loadedKey(workload, item))
                .forEach(keys::add);
        planned(workload, 1, 500).forEach(operation -> keys.add(operation.key()));

        assertThat(keys).hasSize(640);
        assertThat(LongStream.range(0, 140))
                .allMatch(item -> item
                        == layout.item(
                                workload.shape(),
                                layout.partition(workload.shape(), item),
                                layout.row(workload.shape(), item)));
        assertThat(LongStream.range(0, 140)
                        .mapToObj(item -> Planner.loadedKey(workload, item).partition())
                        .distinct())
                .hasSize(20);
    }

    @Test
    void appendGoesBehindAllEntitiesAndPrependBeforeThem() {
        Function<String, List<String>> inserted =
                layout -> planned(workload("mix.insert=1", "layout=" + layout), 1, 500).stream()
                        .map(operation -> operation.key().partition())
                        .toList();
        Function<String, List<String>> loaded = layout -> LongStream.range(0, 10_000)
                .mapToObj(item -> Planner.loadedKey(workload("mix.insert=1", "layout=" + layout), item)
                        .partition())
                .toList();

        String last =
                loaded.apply("append").stream().max(Comparator.naturalOrder()).orElseThrow();
        String first =
                loaded.apply("prepend").stream().min(Comparator.naturalOrder()).orElseThrow();
        assertThat(inserted.apply("append")).isSorted().allMatch(key -> key.compareTo(last) > 0);
        assertThat(inserted.apply("prepend"))
                .isSortedAccordingTo(Comparator.reverseOrder())
                .allMatch(key -> key.compareTo(first) < 0);
    }

    @Test
    void timeBucketsTakeInsertsInTurn() {
        Map<String, Long> seen =
                planned(workload("mix.insert=1", "layout=time-buckets", "layout.buckets=5"), 1, 500).stream()
                        .collect(Collectors.groupingBy(
                                operation -> operation.key().partition().substring(0, 4), Collectors.counting()));

        assertThat(seen)
                .hasSize(5)
                .allSatisfy((bucket, count) -> assertThat(count).isEqualTo(100));
    }

    @Test
    void aTransactionHasDistinctRowsOfOnePartitionAndAWriteForEach() {
        List<Operation> operations =
                planned(workload("mix.transaction=1", "rows=5", "partitions=3", "transaction-operations=8"), 1, 100);

        assertThat(operations).allSatisfy(operation -> {
            assertThat(operation.keys()).hasSize(8).doesNotHaveDuplicates();
            assertThat(operation.keys().stream().map(EntityKey::partition).distinct())
                    .hasSize(1);
        });
        assertThat(operations.get(1).firstWrite()).isEqualTo(operations.get(0).firstWrite() + 8);
    }

    @Test
    void onOnePartitionEverythingGoesThere() {
        Workload one = workload("mix.get=1", "mix.insert=1", "mix.page=1", "layout=append", "insert-partition-prefix=i")
                .onOnePartition();

        assertThat(byPartition(planned(one, 1, 500))).hasSize(1);
    }
}
