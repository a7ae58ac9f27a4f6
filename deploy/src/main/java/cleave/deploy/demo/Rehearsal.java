package cleave.deploy.demo;

import cleave.deploy.access.TableAccount;
import cleave.wire.AdminSplitRequest;
import java.util.List;

/** All steps of the demo on a small part of its data, to warm a JVM up for faster starts. */
public final class Rehearsal {
    private static final String TABLE = "rehearsal";
    private static final int CITIES = 200;

    private Rehearsal() {}

    /** May be repeated. */
    public static void run(TableAccount account) {
        TableHttp http = new TableHttp(account);
        List<City> cities = cities();
        http.createTable(TABLE);
        CityBatch.cut(cities).forEach(batch -> http.write(TABLE, batch));
        CityQuery.fourClasses(cities).forEach(query -> QueryRun.of(http, TABLE, query));
    }

    /** What asks the masters to split the table that {@link #run} made into this number of ranges. */
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
