package cleave.deploy.demo;

import cleave.client.Answer;
import cleave.client.JsonText;
import cleave.client.Request;
import cleave.client.Requests;
import cleave.deploy.CommandFailure;
import cleave.deploy.access.Tables;
import java.util.ArrayList;
import java.util.List;

/** An entity group transaction of upserts: up to 100 cities of one country. Immutable. */
record CityBatch(List<City> cities) {
    static final int OPERATIONS_MAX = 100;

    /**
     * Groups cities in key order into as few transactions as the protocol permits: one partition each, at most 100
     * operations.
     */
    static List<CityBatch> cut(List<City> cities) {
        List<CityBatch> batches = new ArrayList<>();
        List<City> open = new ArrayList<>();
        for (City city : cities) {
            boolean fits = open.isEmpty()
                    || (open.size() < OPERATIONS_MAX && open.get(0).country().equals(city.country()));
            if (!fits) {
                batches.add(new CityBatch(List.copyOf(open)));
                open.clear();
            }
            open.add(city);
        }
        if (!open.isEmpty()) {
            batches.add(new CityBatch(List.copyOf(open)));
        }
        return batches;
    }

    /** Its operations. */
    List<Request> parts(Requests to, String table) {
        return cities.stream()
                .map(city -> to.part("PUT", table, city.country(), city.id(), "", json(city)))
                .toList();
    }

    private static String json(City city) {
        return JsonText.of(json -> {
            json.writeStringField("PartitionKey", city.country());
            json.writeStringField("RowKey", city.id());
            json.writeStringField("Name", city.name());
            json.writeStringField("Latitude@odata.type", "Edm.Double");
            json.writeNumberField("Latitude", city.latitude());
            json.writeStringField("Longitude@odata.type", "Edm.Double");
            json.writeNumberField("Longitude", city.longitude());
            json.writeStringField("Admin1", city.admin1());
            json.writeStringField("Admin2", city.admin2());
        });
    }

    void write(Tables tables, String table) {
        Answer answer = tables.send(to -> to.transaction(parts(to, table)));
        if (!answer.isCommitted()) {
            throw CommandFailure.failed(
                    "a transaction of " + cities.size() + " entities was refused: " + answer.problem());
        }
    }
}
