package cleave.deploy.demo;

import cleave.deploy.access.TableAccount;
import java.util.List;

/** All steps of the demo on a small part of its data, to warm a JVM up for faster starts. */
public final class Rehearsal {
    private static final int CITIES = 200;

    private Rehearsal() {}

    public static void run(TableAccount account) {
        TableHttp http = new TableHttp(account);
        List<City> cities = City.all().subList(0, CITIES);
        http.createTable("rehearsal");
        CityBatch.cut(cities).forEach(batch -> http.write("rehearsal", batch));
        CityQuery.fourClasses(cities).forEach(query -> QueryRun.of(http, "rehearsal", query));
    }
}
