package cleave.chaos.lab.partitioning;

import cleave.chaos.lab.Experiment;
import cleave.chaos.lab.LabClient;
import cleave.chaos.lab.LabEntity;
import cleave.chaos.lab.LabRun;
import cleave.chaos.lab.QueryResult;
import cleave.chaos.picture.Chart;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.IntStream;

/** The guide's rule of thumb for one, two and three key properties, each beside keys that break it. */
final class ChoosingKeys implements Experiment {
    private static final List<String> COUNTRIES = List.of("DE", "FR", "IT");
    private static final int CUSTOMER = 7;
    private static final String MONTH = "2014-03";
    private static final String MONTH_AFTER = "2014-04";
    private static final String IN_MONTH = " ge '" + MONTH + "' and %s lt '" + MONTH_AFTER + "'";

    /** An order, which three properties identify. Immutable. */
    private record Order(int number, int customer, String date) {
        String numberKey() {
            return padded("o", number);
        }

        String customerKey() {
            return padded("c", customer);
        }

        boolean isWanted() {
            return customer == CUSTOMER && date.startsWith(MONTH);
        }

        LabEntity at(String partition, String row) {
            return LabEntity.of(
                    partition,
                    row,
                    Map.of("Customer", customerKey(), "Date", date, "Number", numberKey(), "Amount", 1));
        }
    }

    /**
     * Keys, and the two queries that an application has.
     *
     * @param one the filter that finds the one entity
     * @param several the filter that finds several
     */
    private record Design(String partitionKey, String rowKey, List<LabEntity> entities, String one, String several) {
        long partitions() {
            return entities.stream().map(LabEntity::partition).distinct().count();
        }
    }

    /** What a run saw of one design. Immutable. */
    private record Seen(Design design, QueryResult one, QueryResult several) {
        boolean isClassed(String ofOne, String ofSeveral) {
            return one.cost().queryClass().equals(ofOne)
                    && several.cost().queryClass().equals(ofSeveral);
        }

        boolean hasExamined(long forOne, long forSeveral) {
            return one.cost().examined() == forOne && several.cost().examined() == forSeveral;
        }

        String text() {
            return text(one) + "; " + text(several);
        }

        private static String text(QueryResult found) {
            return found.cost().queryClass() + ", " + found.cost().examined() + " examined for " + found.size();
        }
    }

    private static String padded(String prefix, int number) {
        return prefix + String.format(Locale.ROOT, "%05d", number);
    }

    @Override
    public void run(LabRun run) throws IOException {
        int users = run.of(60, 600);
        List<Order> orders = orders(run.of(200, 1_000));
        try (LabClient client = LabClient.open(run.endpoint())) {
            List<Seen> one = seen(run, client, ofUsers(users));
            List<Seen> two = seen(run, client, ofTwo(orders));
            List<Seen> three = seen(run, client, ofThree(orders));
            run.say(
                    users
                            + " user profiles, of which the id is the only key property: one profile, and ten neighbours by id.");
            report(run, "One key property", one);
            run.say(orders.size()
                    + " orders, if user and number were their key properties: one order, and all of one user.");
            report(run, "Two key properties", two);
            run.say("The same orders by customer, date and number: one order, and those of one customer in March.");
            report(run, "Three key properties", three);
            draw(run, three);
            claimsOfUsers(run, one, users);
            claimsOfTwo(run, two, orders);
            claimsOfThree(run, three, orders);
        }
    }

    /** In the order of their numbers, over a year; the customer of interest has orders in the month of interest. */
    private static List<Order> orders(int count) {
        int customers = 20;
        Random random = new Random(17);
        List<Order> orders = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int day = 336 * i / count;
            String date = String.format(Locale.ROOT, "2014-%02d-%02d", day / 28 + 1, day % 28 + 1);
            orders.add(new Order(i, i % 5 == 0 ? CUSTOMER : random.nextInt(customers), date));
        }
        return orders;
    }

    private static List<Design> ofUsers(int users) {
        List<LabEntity> byId = new ArrayList<>();
        List<LabEntity> byCountry = new ArrayList<>();
        List<LabEntity> together = new ArrayList<>();
        for (int i = 0; i < users; i++) {
            String id = padded("u", i);
            String country = COUNTRIES.get(i % COUNTRIES.size());
            byId.add(LabEntity.of(id, "", Map.of("Country", country)));
            byCountry.add(LabEntity.of(country, id, Map.of("Country", country)));
            together.add(LabEntity.of("user", id, Map.of("Country", country)));
        }
        String neighbours = "%1$s ge '" + padded("u", 20) + "' and %1$s lt '" + padded("u", 30) + "'";
        String partition = String.format(Locale.ROOT, neighbours, "PartitionKey");
        String row = String.format(Locale.ROOT, neighbours, "RowKey");
        String id = padded("u", 17);
        return List.of(
                new Design("id", "(empty)", byId, "PartitionKey eq '" + id + "' and RowKey eq ''", partition),
                new Design("country", "id", byCountry, "RowKey eq '" + id + "'", row),
                new Design(
                        "a constant",
                        "id",
                        together,
                        "PartitionKey eq 'user' and RowKey eq '" + id + "'",
                        "PartitionKey eq 'user' and " + row));
    }

    private static List<Design> ofTwo(List<Order> orders) {
        String user = padded("c", CUSTOMER);
        String number = wanted(orders).numberKey();
        return List.of(
                new Design(
                        "user",
                        "number",
                        placed(orders, each -> each.at(each.customerKey(), each.numberKey())),
                        "PartitionKey eq '" + user + "' and RowKey eq '" + number + "'",
                        "PartitionKey eq '" + user + "'"),
                new Design(
                        "number",
                        "user",
                        placed(orders, each -> each.at(each.numberKey(), each.customerKey())),
                        "PartitionKey eq '" + number + "' and RowKey eq '" + user + "'",
                        "RowKey eq '" + user + "'"));
    }

    private static List<Design> ofThree(List<Order> orders) {
        Order wanted = wanted(orders);
        String customer = padded("c", CUSTOMER);
        String dates = String.format(Locale.ROOT, "Date" + IN_MONTH, "Date");
        return List.of(
                composite(
                        "number",
                        "customer_date",
                        orders,
                        wanted,
                        each -> each.at(each.numberKey(), each.customerKey() + "_" + each.date()),
                        "Customer eq '" + customer + "' and " + dates),
                composite(
                        "customer",
                        "number_date",
                        orders,
                        wanted,
                        each -> each.at(each.customerKey(), each.numberKey() + "_" + each.date()),
                        "PartitionKey eq '" + customer + "' and " + dates),
                composite(
                        "customer",
                        "date_number",
                        orders,
                        wanted,
                        each -> each.at(each.customerKey(), each.date() + "_" + each.numberKey()),
                        "PartitionKey eq '" + customer + "' and "
                                + String.format(Locale.ROOT, "RowKey" + IN_MONTH, "RowKey")),
                composite(
                        "date",
                        "customer_number",
                        orders,
                        wanted,
                        each -> each.at(each.date(), each.customerKey() + "_" + each.numberKey()),
                        String.format(Locale.ROOT, "PartitionKey" + IN_MONTH, "PartitionKey") + " and Customer eq '"
                                + customer + "'"));
    }

    private static Design composite(
            String partitionKey,
            String rowKey,
            List<Order> orders,
            Order wanted,
            Function<Order, LabEntity> place,
            String several) {
        LabEntity one = place.apply(wanted);
        return new Design(
                partitionKey,
                rowKey,
                placed(orders, place),
                "PartitionKey eq '" + one.partition() + "' and RowKey eq '" + one.row() + "'",
                several);
    }

    private static Order wanted(List<Order> orders) {
        return orders.stream().filter(Order::isWanted).findFirst().orElseThrow();
    }

    private static List<LabEntity> placed(List<Order> orders, Function<Order, LabEntity> place) {
        return orders.stream()
                .map(place)
                .sorted(Comparator.comparing(LabEntity::partition).thenComparing(LabEntity::row))
                .toList();
    }

    private static List<Seen> seen(LabRun run, LabClient client, List<Design> designs) throws IOException {
        List<Seen> seen = new ArrayList<>();
        for (Design design : designs) {
            String table = client.createTable(run, "Keys");
            client.load(table, design.entities());
            seen.add(new Seen(design, client.query(table, design.one()), client.query(table, design.several())));
        }
        return seen;
    }

    private static void report(LabRun run, String caption, List<Seen> seen) {
        List<List<String>> rows = new ArrayList<>();
        for (Seen its : seen) {
            rows.add(List.of(
                    its.design().partitionKey(),
                    its.design().rowKey(),
                    Long.toString(its.design().partitions()),
                    its.one().cost().queryClass(),
                    Long.toString(its.one().cost().examined()),
                    its.several().cost().queryClass(),
                    Long.toString(its.several().cost().examined()),
                    Integer.toString(its.several().size())));
        }
        run.table(
                caption,
                List.of(
                        "PartitionKey",
                        "RowKey",
                        "partitions",
                        "for one",
                        "examined",
                        "for several",
                        "examined",
                        "returned"),
                rows);
    }

    private static void draw(LabRun run, List<Seen> three) {
        run.draw(Chart.bars(
                        "Orders of one customer in March, under four keys",
                        "entities",
                        "PartitionKey, RowKey",
                        three.stream()
                                .map(its -> its.design().partitionKey() + ", "
                                        + its.design().rowKey())
                                .toList(),
                        List.of(
                                Chart.values(
                                        "examined",
                                        three.stream()
                                                .map(its -> (double)
                                                        its.several().cost().examined())
                                                .toList()),
                                Chart.values(
                                        "returned",
                                        three.stream()
                                                .map(its ->
                                                        (double) its.several().size())
                                                .toList())))
                .onLogarithmicAxis());
    }

    private static void claimsOfUsers(LabRun run, List<Seen> seen, int users) {
        Seen byId = seen.get(0);
        Seen byCountry = seen.get(1);
        Seen together = seen.get(2);
        run.claim(
                "one: with the id as PartitionKey, a profile is a point query, and neighbours are a range of partitions",
                byId.isClassed("point", "partition-range") && byId.hasExamined(1, 10) && haveFound(seen, 10),
                byId.text());
        run.claim(
                "one: behind a property that does not identify it, each query for the id is a table scan",
                byCountry.isClassed("table-scan", "table-scan") && byCountry.hasExamined(users, users),
                byCountry.text());
        run.claim(
                "one: a constant before the id costs the queries nothing, and puts all users into one partition",
                together.isClassed("point", "row-range")
                        && together.hasExamined(1, 10)
                        && together.design().partitions() == 1
                        && byId.design().partitions() == users,
                together.text() + "; " + together.design().partitions() + " instead of "
                        + byId.design().partitions() + " partitions");
    }

    private static void claimsOfTwo(LabRun run, List<Seen> seen, List<Order> orders) {
        long ofUser =
                orders.stream().filter(each -> each.customer() == CUSTOMER).count();
        Seen right = seen.get(0);
        Seen wrong = seen.get(1);
        run.claim(
                "two: with the user as PartitionKey, all orders of a user are one partition",
                right.isClassed("point", "partition-range") && right.hasExamined(1, ofUser) && haveFound(seen, ofUser),
                right.text());
        run.claim(
                "two: the other way round, one order is a point query still, and all orders of a user are a table scan",
                wrong.isClassed("point", "table-scan") && wrong.hasExamined(1, orders.size()),
                wrong.text());
    }

    private static void claimsOfThree(LabRun run, List<Seen> seen, List<Order> orders) {
        long wanted = orders.stream().filter(Order::isWanted).count();
        long ofCustomer =
                orders.stream().filter(each -> each.customer() == CUSTOMER).count();
        long ofMonth =
                orders.stream().filter(each -> each.date().startsWith(MONTH)).count();
        List<Long> examined = List.of((long) orders.size(), ofCustomer, wanted, ofMonth);
        List<String> classes = List.of("table-scan", "partition-range", "row-range", "partition-range");
        List<String> claims = List.of(
                "three: the number first, and a month of a customer is a table scan",
                "three: the number before the date, and the customer's whole partition is examined",
                "three: customer, then date, then number: a row range that examines what it returns",
                "three: the date first, and the orders of all customers in that month are examined");
        IntStream.range(0, seen.size())
                .forEach(i -> run.claim(
                        claims.get(i),
                        seen.get(i).isClassed("point", classes.get(i))
                                && seen.get(i).hasExamined(1, examined.get(i))
                                && haveFound(seen, wanted),
                        seen.get(i).text()));
    }

    /** True if every design answers alike: one entity, and so many. */
    private static boolean haveFound(List<Seen> seen, long several) {
        return seen.stream()
                .allMatch(its -> its.one().size() == 1 && its.several().size() == several);
    }
}
