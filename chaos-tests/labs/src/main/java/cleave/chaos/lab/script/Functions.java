package cleave.chaos.lab.script;

import static cleave.chaos.lab.script.Values.list;
import static cleave.chaos.lab.script.Values.number;
import static cleave.chaos.lab.script.Values.text;

import cleave.chaos.lab.BlobStore;
import cleave.chaos.lab.LabSystem;
import cleave.chaos.picture.Chart;
import cleave.client.Endpoint;
import cleave.client.SharedKey;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The functions of expressions. Stateless. */
final class Functions {
    /** One of them. Immutable. */
    record Named(int parameters, BiFunction<Play, List<Object>, Object> function) {
        Object of(Play play, List<Object> values) {
            return function.apply(play, values);
        }
    }

    private static final Map<String, Named> ALL = new TreeMap<>();

    static {
        put("count", 1, of -> (long) list(of.get(0)).size());
        put(
                "sum",
                1,
                of -> list(of.get(0)).stream()
                        .map(each -> (Object) each)
                        .reduce(0L, (a, b) -> Values.calculated("+", a, b)));
        put("min", 1, of -> Collections.min(list(of.get(0)), Values::order));
        put("max", 1, of -> Collections.max(list(of.get(0)), Values::order));
        put("all", 1, of -> list(of.get(0)).stream().allMatch(Values::truth));
        put("first", 2, of -> list(of.get(1)).stream().limit(at(of)).toList());
        put(
                "last",
                2,
                of -> list(of.get(1)).stream()
                        .skip(Math.max(0, list(of.get(1)).size() - at(of)))
                        .toList());
        put("place", 2, of -> list(of.get(1)).indexOf(of.get(0)) + 1L);
        put("sorted", 1, of -> list(of.get(0)).stream().sorted(Values::order).toList());
        put("reversed", 1, of -> reversed(list(of.get(0))));
        put("distinct", 1, of -> list(of.get(0)).stream().distinct().toList());
        put(
                "flat",
                1,
                of -> list(of.get(0)).stream()
                        .flatMap(each -> list(each).stream())
                        .toList());
        put("most", 1, of -> most(list(of.get(0))));
        put("join", 2, of -> list(of.get(0)).stream().map(Values::text).collect(Collectors.joining(text(of.get(1)))));
        put(
                "split",
                2,
                of -> Arrays.stream(text(of.get(0)).split(text(of.get(1)), -1))
                        .filter(part -> !part.isEmpty())
                        .toList());
        put("replace", 3, of -> text(of.get(0)).replace(text(of.get(1)), text(of.get(2))));
        put(
                "length",
                1,
                of -> of.get(0) instanceof byte[] bytes
                        ? (long) bytes.length
                        : (long) text(of.get(0)).length());
        put("number", 1, of -> Long.valueOf(text(of.get(0))));
        put("floor", 1, of -> (long) Math.floor(number(of.get(0))));
        put("ceiling", 1, of -> (long) Math.ceil(number(of.get(0))));
        put("repeat", 2, of -> text(of.get(0)).repeat((int) number(of.get(1))));
        put("bytes", 1, of -> bytes((int) number(of.get(0))));
        put("mark", 2, of -> new Chart.Mark(number(of.get(0)), text(of.get(1))));
        put("has", 2, of -> Values.entity(of.get(0)).has(text(of.get(1))));
        put(
                "properties",
                1,
                of -> List.copyOf(Values.entity(of.get(0)).properties().values()));
        ALL.put("small", new Named(2, (play, of) -> of.get(play.isSmall() ? 0 : 1)));
        ALL.put("servers", new Named(0, (play, of) -> play.servers()));
        ALL.put("neighbour", new Named(0, (play, of) -> neighbour(play.run().endpoint())));
        ALL.put("metric", new Named(2, (play, of) -> play.metric(text(of.get(0)), text(of.get(1)))));
        ALL.put("events", new Named(1, (play, of) -> play.events(text(of.get(0)))));
        ALL.put("store", new Named(0, (play, of) -> play.blobs(BlobStore::kind)));
        ALL.put("blob", new Named(1, (play, of) -> play.blobs(store -> store.get(text(of.get(0))))));
        ALL.put("blobs", new Named(1, (play, of) -> play.blobs(store -> store.names(text(of.get(0))))));
        ALL.put("signature", new Named(5, Functions::signature));
        put("encrypted", 3, Functions::encrypted);
        put(
                "decrypted",
                3,
                of -> new PropertyCipher((long) number(of.get(1)))
                        .decrypted(Values.entity(of.get(0)), text(of.get(2))));
        put("employees", 2, of -> Employees.of(text(of.get(0)), (int) number(of.get(1))));
    }

    private Functions() {}

    private static void put(String name, int parameters, Function<List<Object>, Object> function) {
        ALL.put(name, new Named(parameters, (play, values) -> function.apply(values)));
    }

    static Map<String, Named> all() {
        return Collections.unmodifiableMap(ALL);
    }

    private static long at(List<Object> of) {
        return (long) number(of.get(0));
    }

    private static List<Object> reversed(List<?> list) {
        List<Object> reversed = new ArrayList<>(list);
        Collections.reverse(reversed);
        return reversed;
    }

    /** How often the most frequent value is there. */
    private static Object most(List<?> list) {
        return list.stream().collect(Collectors.groupingBy(Values::text, Collectors.counting())).values().stream()
                .max(Long::compare)
                .orElse(0L);
    }

    private static Object encrypted(List<Object> of) {
        try {
            return new PropertyCipher((long) number(of.get(1)))
                    .encrypted(
                            Values.entity(of.get(0)),
                            list(of.get(2)).stream().map(Values::text).toList());
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException("every JDK has AES", missing);
        }
    }

    private static Endpoint neighbour(Endpoint own) {
        SharedKey key = LabSystem.NEIGHBOUR;
        return own.as("/" + key.account(), key);
    }

    /** The parameters: a table, letters of {@code raud}, minutes, the first and the last PartitionKey. */
    private static Object signature(Play play, List<Object> of) {
        return TableSignature.of(
                play.run().endpoint().sharedKey(),
                text(of.get(0)),
                text(of.get(1)),
                Instant.now().plus(Duration.ofMinutes((long) number(of.get(2)))),
                text(of.get(3)),
                text(of.get(4)));
    }

    /** The same ones at each run. */
    private static byte[] bytes(int count) {
        byte[] bytes = new byte[count];
        new Random(count).nextBytes(bytes);
        return bytes;
    }
}
