package cleave.deploy.demo;

import cleave.client.Endpoint;
import cleave.deploy.access.Tables;
import cleave.wire.AdminSplitRequest;
import java.util.List;

/** All steps of the demo on a small part of its data, to warm a JVM up for faster starts. */
public final class Rehearsal {
    private static final String TABLE = "rehearsal";
    private static final int CITIES = 200;

    private Rehearsal() {}

    /** May be repeated. */
    public static void run(Endpoint account) {
        List<City> cities = cities();
        try (Tables tables = new Tables(account)) {
            tables.create(TABLE);
            CityBatch.cut(cities).forEach(batch -> batch.write(tables, TABLE));
            CityQuery.fourClasses(cities).forEach(query -> QueryRun.of(tables, TABLE, query));
        }
    }

    /** A request to split the table that {@link #run} made into this number of ranges. */
    public static AdminSplitRequest split(String account, int ranges) {
        return AdminSplitRequest.newBuilder()
                .setAccount(account)
                .setTable(TABLE)
                .addAllPartitionKeys(Splitting.keys(cities(), ranges))
                .build();
    }

    private static List<City> cities() {
        return City.all().subList(0, CITIES);
    }
}
