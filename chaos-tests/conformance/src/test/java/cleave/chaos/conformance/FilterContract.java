package cleave.chaos.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.conformance.Condition.Operator;
import cleave.client.Endpoint;
import cleave.client.Requests;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Filters: every operator, also negated and with the constant first, with properties and constants of every type, and
 * combinations of them, against the oracle {@link Condition}.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class FilterContract {
    private static final String KEYS = "$select=PartitionKey,RowKey";
    private static final int COMBINATIONS = 400;
    private static final int SHOWN = 10;
    private static final List<String> NAMES = List.of("PartitionKey", "RowKey", "Timestamp", "V", "W", "Flag", "None");

    private final Endpoint endpoint;
    private final int stride;
    private FilterTable table;

    /** @param stride of many filters every so manieth is asked; 1 for all of them */
    FilterContract(Endpoint endpoint, int stride) {
        this.endpoint = endpoint;
        this.stride = stride;
    }

    @BeforeAll
    void fillTable() throws IOException {
        table = FilterTable.filled(endpoint);
        split(table.name(), List.of("a", "b", "\uD83D\uDE00", "\uFFFD"));
    }

    /** Splits the table where there are servers to share it; the answers must be the same. */
    void split(String name, List<String> partitionKeys) {}

    @ParameterizedTest
    @ValueSource(strings = {"V", "PartitionKey", "RowKey", "Timestamp", "Missing"})
    void everyOperatorWithEveryTypeOfPropertyAndConstant(String name) throws IOException {
        List<Condition> conditions = new ArrayList<>();
        for (Object constant : constants(name)) {
            Edm.literals(constant).stream().limit(1).forEach(literal -> {
                for (Operator operator : Operator.values()) {
                    Condition comparison = Condition.comparison(name, operator, literal, constant, false);
                    conditions.add(comparison);
                    conditions.add(comparison.negated());
                    conditions.add(Condition.comparison(name, operator, literal, constant, true));
                }
            });
        }
        assertNoDifference(conditions, KEYS);
    }

    private List<Object> constants(String name) {
        List<Object> constants = new ArrayList<>(FilterTable.VALUES);
        if (name.equals("Timestamp")) {
            for (int row : List.of(0, 40, 90)) {
                Instant stamp =
                        (Instant) Objects.requireNonNull(table.rows().get(row).get("Timestamp"));
                constants.addAll(List.of(stamp.minusNanos(100), stamp, stamp.plusNanos(100)));
            }
        } else if (!name.equals("V")) {
            constants.addAll(FilterTable.PARTITIONS);
            constants.addAll(FilterTable.ROWS);
        }
        return constants;
    }

    @Test
    void everySpellingOfAConstant() throws IOException {
        List<Condition> conditions = new ArrayList<>();
        for (Object constant : FilterTable.VALUES) {
            Edm.literals(constant).stream().skip(1).forEach(literal -> {
                for (Operator operator : Operator.values()) {
                    conditions.add(Condition.comparison("V", operator, literal, constant, false));
                }
            });
        }
        assertThat(conditions).hasSizeGreaterThan(150);
        assertNoDifference(conditions, KEYS);
    }

    @Test
    void bareNames() throws IOException {
        List<Condition> conditions = new ArrayList<>();
        for (String name : List.of("V", "W", "Flag", "Missing")) {
            Condition flag = Condition.flag(name);
            conditions.addAll(List.of(
                    flag,
                    flag.negated(),
                    flag.negated().negated(),
                    flag.inParentheses().negated()));
        }
        assertNoDifference(conditions);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void combinations(long seed) throws IOException {
        List<Condition> conditions = combinations(new Random(seed), COMBINATIONS);
        assertNoDifference(conditions, KEYS);
        assertNoDifference(conditions.subList(0, COMBINATIONS / 8));
    }

    @Test
    void combinationsByPages() throws IOException {
        List<String> differences = new ArrayList<>();
        for (Condition condition : combinations(new Random(5), 40)) {
            table.differenceByPages(condition, 7).ifPresent(differences::add);
        }
        assertNone(differences);
    }

    private List<Condition> combinations(Random random, int count) {
        List<Condition> conditions = new ArrayList<>();
        while (conditions.size() < count) {
            conditions.add(combination(random, 1 + random.nextInt(4)));
        }
        return conditions;
    }

    private Condition combination(Random random, int depth) {
        if (depth == 0) {
            return comparison(random);
        }
        Condition left = combination(random, depth - 1);
        return switch (random.nextInt(6)) {
            case 0 -> left.negated();
            case 1 -> left.inParentheses();
            case 2, 3 -> left.and(combination(random, random.nextInt(depth)));
            default -> left.or(combination(random, random.nextInt(depth)));
        };
    }

    private Condition comparison(Random random) {
        Operator operator = one(random, List.of(Operator.values()));
        return switch (random.nextInt(9)) {
            case 8 -> Condition.always(random.nextBoolean());
            case 0, 1 -> comparison(random, "PartitionKey", operator, one(random, FilterTable.PARTITIONS));
            case 2 -> comparison(random, "RowKey", operator, one(random, FilterTable.ROWS));
            case 3 -> Condition.flag("Flag");
            case 4 -> comparison(random, one(random, NAMES), operator, one(random, FilterTable.VALUES));
            default -> {
                // Constants of the type that the property has in some row, so that all outcomes are met.
                Map<String, Object> row = one(random, table.rows());
                String name = one(random, List.of("V", "W", "Timestamp"));
                yield comparison(random, name, operator, row.getOrDefault(name, 1));
            }
        };
    }

    private static Condition comparison(Random random, String name, Operator operator, Object constant) {
        List<String> literals = Edm.literals(constant);
        if (literals.isEmpty()) {
            return Condition.flag("Flag");
        }
        return Condition.comparison(name, operator, one(random, literals), constant, random.nextInt(4) == 0);
    }

    private static <T> T one(Random random, List<T> values) {
        return values.get(random.nextInt(values.size()));
    }

    private void assertNoDifference(List<Condition> conditions, String... options) throws IOException {
        List<Condition> asked = IntStream.iterate(0, index -> index < conditions.size(), index -> index + stride)
                .mapToObj(conditions::get)
                .toList();
        assertNone(table.differences(asked, options));
    }

    private static void assertNone(List<String> differences) {
        assertThat(differences.stream().limit(SHOWN))
                .as(differences.size() + " differences")
                .isEmpty();
    }

    /** The golden exchanges and the tests of the parser have others. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "V Eq 1",
                "Not Flag",
                "V eq ''quoted'",
                "V = 1",
                "V eq 1L2",
                "V eq X'0G'",
                "V eq datetime'2008-13-10T00:00:00Z'",
                "V eq 9223372036854775808L",
                "V eq --1",
                "V lt lt 1",
                "V eq 1;"
            })
    void filtersThatCannotBeReadAreRefused(String filter) throws IOException {
        RawTable.assertRefused(table.query(Requests.option("$filter", filter)), 400, "InvalidInput");
    }
}
