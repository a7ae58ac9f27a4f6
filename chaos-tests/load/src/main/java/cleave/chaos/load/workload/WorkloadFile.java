package cleave.chaos.load.workload;

import java.io.IOException;
import java.io.StringReader;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads a workload from the text of a properties file. Confined to its caller. Whatever is wrong is an IllegalArgumentException that names the
 * file, the key, and what is right.
 */
public final class WorkloadFile {
    private static final String MIX = "mix.";
    private static final int TRANSACTION_MAX = 100;
    private static final int PAGE_MAX = 1000;
    private static final int ENTITY_BYTES_MAX = 60_000;
    private static final List<String> KEYS = List.of(
            "description",
            "distribution",
            "distribution.zipfian-constant",
            "distribution.hot-share",
            "layout",
            "layout.buckets",
            "partitions",
            "rows",
            "entity-bytes",
            "insert-partition-prefix",
            "page-rows",
            "transaction-operations",
            "scan-entities",
            "scan-filter");

    private final String file;
    private final Map<String, String> values = new TreeMap<>();

    private WorkloadFile(String file) {
        this.file = file;
    }

    /**
     * Reads a workload.
     *
     * @param name what reports call it
     * @param file what messages call its file
     */
    public static Workload parse(String name, String file, String text) {
        WorkloadFile read = new WorkloadFile(file);
        read.load(text);
        return read.workload(name);
    }

    private void load(String text) {
        Properties properties = new Properties() {
            private static final long serialVersionUID = 1;

            @Override
            public synchronized @Nullable Object put(Object key, Object value) {
                if (values.putIfAbsent(key.toString(), value.toString().trim()) != null) {
                    throw wrong(key.toString(), "is there twice; delete one of the lines");
                }
                return null;
            }
        };
        try {
            properties.load(new StringReader(text));
        } catch (IOException impossible) {
            throw new IllegalStateException(impossible);
        } catch (IllegalArgumentException malformed) {
            throw malformed instanceof Wrong
                    ? malformed
                    : new Wrong(file + ": no properties file: " + malformed.getMessage());
        }
    }

    private Workload workload(String name) {
        values.keySet().forEach(this::checkKnown);
        Distribution distribution = one("distribution", Distribution.values(), Distribution::id, Distribution.UNIFORM);
        Layout layout = one("layout", Layout.values(), Layout::id, Layout.SPREAD);
        onlyWith(
                "distribution.zipfian-constant",
                distribution == Distribution.ZIPFIAN || distribution == Distribution.LATEST,
                "distribution=zipfian or distribution=latest");
        onlyWith("distribution.hot-share", distribution == Distribution.HOT, "distribution=hot");
        onlyWith("layout.buckets", layout == Layout.TIME_BUCKETS, "layout=time-buckets");
        int partitions = integer("partitions", 100, 1, 1_000_000);
        int buckets = integer("layout.buckets", Math.min(10, partitions), 1, 999);
        if (layout == Layout.TIME_BUCKETS && partitions % buckets != 0) {
            throw wrong(
                    "partitions",
                    "is " + partitions + ", but must be a multiple of layout.buckets, which is " + buckets);
        }
        return new Workload(
                name,
                values.getOrDefault("description", ""),
                mix(),
                distribution,
                number("distribution.zipfian-constant", 0.99, 0.01, 0.999),
                number("distribution.hot-share", 0.8, 0, 1),
                layout,
                new Shape(
                        partitions,
                        integer("rows", 100, 1, 1_000_000),
                        buckets,
                        integer("entity-bytes", 500, 0, ENTITY_BYTES_MAX)),
                prefix(),
                integer("page-rows", 10, 1, PAGE_MAX),
                integer("transaction-operations", 10, 1, TRANSACTION_MAX),
                integer("scan-entities", 0, 0, Integer.MAX_VALUE),
                values.getOrDefault("scan-filter", ""));
    }

    private void checkKnown(String key) {
        if (key.startsWith(MIX)) {
            if (actions().noneMatch(key.substring(MIX.length())::equals)) {
                throw wrong(
                        key,
                        "is no operation; those are "
                                + actions().map(MIX::concat).collect(Collectors.joining(", ")));
            }
        } else if (!KEYS.contains(key)) {
            throw wrong(key, "is unknown; known are " + String.join(", ", new TreeSet<>(KEYS)) + ", and mix.OPERATION");
        }
    }

    private static java.util.stream.Stream<String> actions() {
        return Arrays.stream(Action.values()).map(Action::id);
    }

    private Mix mix() {
        Map<Action, Double> weights = new EnumMap<>(Action.class);
        for (Action action : Action.values()) {
            double weight = number(MIX + action.id(), 0, 0, 1e9);
            if (weight > 0) {
                weights.put(action, weight);
            }
        }
        if (weights.isEmpty()) {
            throw wrong("mix.OPERATION", "is missing; give at least one weight above 0, such as mix.get=1");
        }
        return new Mix(weights);
    }

    private String prefix() {
        String prefix = values.getOrDefault("insert-partition-prefix", Workload.PREFIX);
        if (!prefix.matches("[A-Za-z0-9]{1,20}")) {
            throw wrong("insert-partition-prefix", "is '" + prefix + "', but must be 1 to 20 letters and digits");
        }
        return prefix;
    }

    private void onlyWith(String key, boolean applies, String condition) {
        if (values.containsKey(key) && !applies) {
            throw wrong(key, "has a meaning with " + condition + " only; delete it or set that");
        }
    }

    private <T> T one(String key, T[] choices, Function<T, String> id, T otherwise) {
        String text = values.get(key);
        if (text == null) {
            return otherwise;
        }
        return Arrays.stream(choices)
                .filter(choice -> id.apply(choice).equals(text))
                .findFirst()
                .orElseThrow(() -> wrong(
                        key,
                        "is '" + text + "', but must be one of "
                                + Arrays.stream(choices).map(id).collect(Collectors.joining(", "))));
    }

    private int integer(String key, int otherwise, int least, int most) {
        String text = values.get(key);
        try {
            int number = text == null ? otherwise : Integer.parseInt(text);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException malformed) {
            // Said below.
        }
        throw wrong(key, "is '" + text + "', but must be a whole number from " + least + " to " + most);
    }

    private double number(String key, double otherwise, double least, double most) {
        String text = values.get(key);
        try {
            double number = text == null ? otherwise : Double.parseDouble(text);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException malformed) {
            // Said below.
        }
        throw wrong(key, "is '" + text + "', but must be a number from " + plain(least) + " to " + plain(most));
    }

    private static String plain(double number) {
        return number == Math.rint(number) ? Long.toString((long) number) : Double.toString(number);
    }

    private Wrong wrong(String key, String what) {
        return new Wrong(file + ": " + key + " " + what);
    }

    private static final class Wrong extends IllegalArgumentException {
        private static final long serialVersionUID = 1;

        Wrong(String message) {
            super(message);
        }
    }
}
