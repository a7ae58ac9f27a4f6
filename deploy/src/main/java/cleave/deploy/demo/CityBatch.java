package cleave.deploy.demo;

import cleave.deploy.access.SignedHttp;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/** An entity group transaction of upserts: up to 100 cities of one country. Immutable. */
record CityBatch(List<City> cities) {
    static final int OPERATIONS_MAX = 100;
    static final String CONTENT_TYPE = "multipart/mixed; boundary=batch_cities";

    private static final JsonFactory JSON = new JsonFactory();

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

    /** The body of the request to a table of the account at this address. */
    String body(String base, String table) {
        StringBuilder body = new StringBuilder();
        body.append("--batch_cities\r\nContent-Type: multipart/mixed; boundary=changeset_cities\r\n\r\n");
        for (City city : cities) {
            body.append("--changeset_cities\r\nContent-Type: application/http\r\n")
                    .append("Content-Transfer-Encoding: binary\r\n\r\nPUT ")
                    .append(base)
                    .append('/')
                    .append(SignedHttp.entityPath(table, city.country(), city.id()))
                    .append(" HTTP/1.1\r\nContent-Type: application/json\r\n")
                    .append("Accept: application/json;odata=nometadata\r\nDataServiceVersion: 3.0\r\n\r\n")
                    .append(json(city))
                    .append("\r\n");
        }
        return body.append("--changeset_cities--\r\n--batch_cities--\r\n").toString();
    }

    static String json(City city) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JSON.createGenerator(text)) {
            json.writeStartObject();
            json.writeStringField("PartitionKey", city.country());
            json.writeStringField("RowKey", city.id());
            json.writeStringField("Name", city.name());
            json.writeStringField("Latitude@odata.type", "Edm.Double");
            json.writeNumberField("Latitude", city.latitude());
            json.writeStringField("Longitude@odata.type", "Edm.Double");
            json.writeNumberField("Longitude", city.longitude());
            json.writeStringField("Admin1", city.admin1());
            json.writeStringField("Admin2", city.admin2());
            json.writeEndObject();
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return text.toString();
    }
}
