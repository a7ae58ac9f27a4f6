package cleave.chaos.lab.partitioning;

import cleave.chaos.lab.Experiment;
import cleave.chaos.lab.LabClient;
import cleave.chaos.lab.LabEntity;
import cleave.chaos.lab.LabRun;
import cleave.chaos.lab.LabWrite;
import cleave.chaos.picture.Chart;
import cleave.client.Answer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Function;

/** One load under four PartitionKeys, from one value for all to one for each entity. */
final class Granularity implements Experiment {
    private static final int CUSTOMERS = 60;
    private static final String SEVERAL_PARTITIONS = "CommandsInBatchActOnDifferentPartitions";
    private static final List<String> COUNTRIES = List.of("DE", "FR", "IT");

    /** An order of a customer. Immutable. */
    private record Order(int number, int customer) {
        /** Most customers are of the first country. */
        String country() {
            return COUNTRIES.get(customer % 10 < 7 ? 0 : customer % 10 < 9 ? 1 : 2);
        }
    }

    /**
     * A design. Immutable.
     *
     * @param firsts the PartitionKeys that begin its ranges
     */
    private record Design(String name, Function<Order, String> key, List<String> firsts) {}

    private static final List<Design> DESIGNS = List.of(
            new Design("one value", order -> "all", List.of("all")),
            new Design("country", Order::country, COUNTRIES),
            new Design("customer", order -> number("c", order.customer()), List.of("c0000", "c0020", "c0040")),
            new Design("order", order -> number("o", scattered(order.number())), List.of("o0000", "o0333", "o0667")));

    private static String number(String prefix, int number) {
        return prefix + String.format(Locale.ROOT, "%04d", number);
    }

    /** Scatters the numbers below 1,000: each has another value. */
    private static int scattered(int number) {
        return (int) (number * 619L % 1_000);
    }

    /** What a run saw of one design. Immutable. */
    private record Seen(Design design, Map<String, Integer> share, int committed, int refused) {
        int busiest() {
            return share.values().stream().mapToInt(Integer::intValue).max().orElse(0);
        }
    }

    @Override
    public void run(LabRun run) throws IOException {
        int count = run.of(90, 600);
        Random random = new Random(1);
        List<Order> orders = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            orders.add(new Order(i, random.nextInt(CUSTOMERS)));
        }
        List<Seen> seen = new ArrayList<>();
        Ranges ranges = Ranges.atRest(run);
        try (LabClient client = LabClient.open(run.endpoint())) {
            for (Design design : DESIGNS) {
                String table = client.createTable(run, "Orders");
                ranges.spread(client, table, design.firsts());
                seen.add(seen(client, table, design, orders));
            }
        }
        report(run, ranges.servers(), seen, count);
        claims(run, seen, count);
    }

    private static LabEntity entity(Design design, Order order) {
        return LabEntity.of(
                design.key().apply(order),
                number("r", order.number()),
                Map.of("Customer", order.customer(), "Amount", 1));
    }

    private static Seen seen(LabClient client, String table, Design design, List<Order> orders) throws IOException {
        Map<String, Integer> share = new TreeMap<>();
        Map<Integer, Order> last = new TreeMap<>();
        int committed = 0;
        int refused = 0;
        for (Order order : orders) {
            share.merge(
                    client.write(table, LabWrite.insert(entity(design, order)))
                            .servers()
                            .first(),
                    1,
                    Integer::sum);
            Order before = last.put(order.customer(), order);
            if (before != null) {
                Answer answer = client.tryTransaction(
                        table,
                        List.of(LabWrite.upsert(entity(design, before)), LabWrite.upsert(entity(design, order))));
                boolean isRefused = answer.status() == 400 && answer.errorCode().equals(SEVERAL_PARTITIONS);
                if (!isRefused && !answer.isSuccess()) {
                    throw new IOException(
                            "a transaction of " + before + " and " + order + " was answered with " + answer);
                }
                committed += isRefused ? 0 : 1;
                refused += isRefused ? 1 : 0;
            }
        }
        return new Seen(design, share, committed, refused);
    }

    private static void report(LabRun run, List<String> servers, List<Seen> seen, int count) {
        run.say(
                count + " orders of " + CUSTOMERS
                        + " customers are inserted under each design, whose ranges are spread over three servers as far"
                        + " as its keys permit. After each order, a transaction changes it together with the customer's order before.");
        List<String> heads = new ArrayList<>(List.of("PartitionKey"));
        servers.forEach(server -> heads.add("inserts on " + server));
        heads.addAll(List.of("transactions committed", "refused"));
        List<List<String>> rows = new ArrayList<>();
        for (Seen its : seen) {
            List<String> row = new ArrayList<>(List.of(its.design().name()));
            servers.forEach(server -> row.add(Integer.toString(its.share().getOrDefault(server, 0))));
            row.add(Integer.toString(its.committed()));
            row.add(Integer.toString(its.refused()));
            rows.add(row);
        }
        run.table("The same orders under four PartitionKeys", heads, rows);
        run.draw(Chart.bars(
                "Inserts that each server carries",
                "inserts",
                "PartitionKey",
                DESIGNS.stream().map(Design::name).toList(),
                servers.stream()
                        .map(server -> Chart.values(
                                server,
                                seen.stream()
                                        .map(its -> (double) its.share().getOrDefault(server, 0))
                                        .toList()))
                        .toList()));
        run.draw(Chart.bars(
                "Transactions of two orders of one customer",
                "transactions",
                "PartitionKey",
                DESIGNS.stream().map(Design::name).toList(),
                List.of(
                        Chart.values(
                                "committed",
                                seen.stream()
                                        .map(its -> (double) its.committed())
                                        .toList()),
                        Chart.values(
                                "refused",
                                seen.stream().map(its -> (double) its.refused()).toList()))));
    }

    private static void claims(LabRun run, List<Seen> seen, int count) {
        Seen one = seen.get(0);
        Seen country = seen.get(1);
        Seen customer = seen.get(2);
        Seen order = seen.get(3);
        run.claim(
                "one value: one server carries all",
                one.busiest() == count,
                one.share().toString());
        run.claim(
                "country: the largest takes more than half",
                2 * country.busiest() > count,
                country.share().toString());
        run.claim(
                "customer and order: no server carries more than half",
                2 * customer.busiest() < count && 2 * order.busiest() < count,
                customer.share() + " and " + order.share());
        run.claim(
                "every transaction is committed under one value, the country and the customer",
                one.refused() + country.refused() + customer.refused() == 0 && one.committed() > 0,
                one.committed() + ", " + country.committed() + " and " + customer.committed() + " committed");
        run.claim(
                "none is possible if each order is a partition",
                order.committed() == 0 && order.refused() > 0,
                order.refused() + " refused");
    }
}
