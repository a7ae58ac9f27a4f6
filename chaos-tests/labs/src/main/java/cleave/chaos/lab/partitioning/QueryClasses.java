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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What queries examine depends on which keys their filters bound; with the filters of Azure's documentation. */
final class QueryClasses implements Experiment {
    private static final List<String> DEPARTMENTS = List.of("Finance", "Legal", "Marketing", "Sales", "Support");
    private static final List<String> NAMES = List.of("Dias", "Jones", "Miller", "Singh", "Smith", "Tanaka");

    private static final String POINT = "(PartitionKey eq 'Sales') and (RowKey eq '2')";
    private static final String ROW_RANGE = "PartitionKey eq 'Sales' and RowKey ge 'S' and RowKey lt 'T'";
    private static final String PARTITION_SCAN = "PartitionKey eq 'Sales' and LastName eq 'Smith'";
    private static final String EITHER = "PartitionKey eq 'Sales' and (RowKey eq '121' or RowKey eq '322')";
    private static final String PARTITION_RANGE = "PartitionKey ge 'M' and PartitionKey lt 'T'";
    private static final String TABLE_SCAN = "LastName eq 'Jones'";
    private static final String ROW_KEY_ALONE = "RowKey eq '121'";

    @Override
    public void run(LabRun run) throws IOException {
        int each = run.of(400, 2_000);
        try (LabClient client = LabClient.open(run.endpoint())) {
            String table = client.createTable(run, "Employees");
            load(client, table, each);
            long partition = client.query(table, "PartitionKey eq 'Sales'").size();
            Map<String, QueryResult> found = new LinkedHashMap<>();
            for (String filter :
                    List.of(POINT, ROW_RANGE, EITHER, PARTITION_SCAN, PARTITION_RANGE, TABLE_SCAN, ROW_KEY_ALONE)) {
                found.put(filter, client.query(table, filter));
            }
            report(run, found);
            claims(run, found, partition, partition * DEPARTMENTS.size());
        }
    }

    /** Each employee twice in its partition: under the number, and under the name. */
    private static void load(LabClient client, String table, int each) throws IOException {
        List<LabEntity> entities = new ArrayList<>();
        for (String department : DEPARTMENTS) {
            for (int number = 1; number <= each / 2; number++) {
                String name = NAMES.get(number % NAMES.size());
                Map<String, Object> properties = Map.of("LastName", name, "Number", number);
                entities.add(LabEntity.of(department, Integer.toString(number), properties));
                entities.add(LabEntity.of(department, name + "_" + number, properties));
            }
            // The filter with 'or' needs this one, too.
            entities.add(LabEntity.of(department, "322", Map.of("LastName", "Jones", "Number", 322)));
        }
        Map<String, LabEntity> byKey = new LinkedHashMap<>();
        entities.forEach(entity -> byKey.put(entity.partition() + "/" + entity.row(), entity));
        client.load(
                table,
                byKey.values().stream()
                        .sorted(Comparator.comparing(LabEntity::partition))
                        .toList());
    }

    private static void report(LabRun run, Map<String, QueryResult> found) {
        run.say("The filters are those of the documentation, on " + DEPARTMENTS.size()
                + " departments of the same size. Each employee is stored under the number and under the name.");
        List<List<String>> rows = new ArrayList<>();
        found.forEach((filter, its) -> rows.add(List.of(
                filter,
                its.cost().queryClass(),
                Long.toString(its.cost().examined()),
                Integer.toString(its.size()),
                Long.toString(its.cost().roundTrips()))));
        run.table("What each query cost", List.of("$filter", "class", "examined", "returned", "pages"), rows);
        run.draw(Chart.bars(
                        "Entities examined and returned",
                        "entities",
                        "what the filter bounds",
                        List.of(
                                "both keys",
                                "row range",
                                "two RowKeys",
                                "partition and LastName",
                                "range of partitions",
                                "LastName alone",
                                "RowKey alone"),
                        List.of(
                                Chart.values(
                                        "examined",
                                        found.values().stream()
                                                .map(its -> (double) its.cost().examined())
                                                .toList()),
                                Chart.values(
                                        "returned",
                                        found.values().stream()
                                                .map(its -> (double) its.size())
                                                .toList())))
                .onLogarithmicAxis());
    }

    private static void claims(LabRun run, Map<String, QueryResult> found, long partition, long table) {
        examined(run, "a point query examines one entity", found, POINT, "point", 1);
        QueryResult rows = of(found, ROW_RANGE);
        run.claim(
                "a row range examines what it returns, and no more",
                rows.cost().queryClass().equals("row-range")
                        && rows.cost().examined() == rows.size()
                        && rows.size() < partition,
                seen(rows));
        QueryResult either = of(found, EITHER);
        run.claim(
                "an 'or' of two RowKeys examines less than the partition",
                either.size() == 2 && either.cost().examined() < partition,
                seen(either));
        examined(
                run,
                "another property: the whole partition is examined",
                found,
                PARTITION_SCAN,
                "partition-range",
                partition);
        examined(
                run,
                "a range of partitions: all three of them, whole",
                found,
                PARTITION_RANGE,
                "partition-range",
                3 * partition);
        examined(run, "no PartitionKey: the whole table is examined", found, TABLE_SCAN, "table-scan", table);
        examined(run, "the RowKey alone is no help", found, ROW_KEY_ALONE, "table-scan", table);
    }

    private static void examined(
            LabRun run, String claim, Map<String, QueryResult> found, String filter, String queryClass, long examined) {
        QueryResult its = of(found, filter);
        run.claim(
                claim, its.cost().queryClass().equals(queryClass) && its.cost().examined() == examined, seen(its));
    }

    private static QueryResult of(Map<String, QueryResult> found, String filter) {
        QueryResult its = found.get(filter);
        if (its == null) {
            throw new IllegalArgumentException(filter);
        }
        return its;
    }

    private static String seen(QueryResult found) {
        return found.cost().queryClass() + ", " + found.cost().examined() + " examined, " + found.size() + " returned";
    }
}
