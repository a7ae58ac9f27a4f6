package cleave.chaos.conformance;

import static cleave.chaos.conformance.RawTable.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.conformance.Draw.Row;
import cleave.chaos.conformance.Edm.Bytes;
import cleave.client.Answer;
import cleave.client.Connection;
import cleave.client.Endpoint;
import cleave.client.JsonText;
import cleave.client.Request;
import cleave.client.Requests;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every legal key and value comes back as it went in, with every operation that writes or reads it, and in the right order.
 * {@code -Dcleave.test.entities=10000} draws more entities than the build does, {@code -Dcleave.test.seed=7} others.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class RoundTripContract {
    private static final int ENTITIES = Integer.getInteger("cleave.test.entities", 120);
    private static final long SEED = Long.getLong("cleave.test.seed", 1);
    private static final int MEGABYTE = 1 << 20;

    private final Endpoint endpoint;
    private RawTable table;
    private Connection connection;

    RoundTripContract(Endpoint endpoint) {
        this.endpoint = endpoint;
    }

    @BeforeAll
    void open() throws IOException {
        table = RawTable.create(endpoint);
        connection = table.connect();
    }

    @AfterAll
    void close() throws IOException {
        connection.close();
    }

    /** The ways in which an entity can be written. */
    enum Way {
        INSERT,
        INSERT_AND_READ,
        REPLACE,
        MERGE,
        UPSERT_BY_REPLACE,
        UPSERT_BY_MERGE,
        TRANSACTION
    }

    @Test
    void drawnEntitiesComeBackAndInOrder() throws IOException {
        RawTable own = RawTable.create(endpoint);
        Draw draw = new Draw(SEED);
        TreeSet<Row> rows = new TreeSet<>();
        while (rows.size() < ENTITIES) {
            Row row = draw.row();
            if (rows.add(row)) {
                write(own, row, draw.one(List.of(Way.values())));
                assertComesBack(own, row);
            }
        }
        assertThat(scan(own, "$top=7")).isEqualTo(List.copyOf(rows));
        assertThat(scan(own)).isEqualTo(List.copyOf(rows));
        for (Row row : rows) {
            Answer deleted = exchange(own.requests().delete(own.name(), row.partitionKey(), row.rowKey(), "*"));
            assertThat(deleted.status()).as(row.json()).isEqualTo(204);
        }
        assertThat(scan(own)).isEmpty();
    }

    // Keys.

    @ParameterizedTest
    @EnumSource(names = {"INSERT", "UPSERT_BY_MERGE"})
    void everyCharacterMakesAKey(Way way) throws IOException {
        RawTable own = RawTable.create(endpoint);
        TreeSet<Row> rows = new TreeSet<>();
        for (String character : Draw.CHARACTERS) {
            for (String key : List.of(character, character + "x", "x" + character)) {
                Row row = new Row(key, key, Map.of("V", key));
                if (rows.add(row)) {
                    write(own, row, way);
                    assertReads(row, Request.json("GET", address(own, row)));
                }
            }
        }
        assertThat(scan(own)).isEqualTo(List.copyOf(rows));
    }

    // Values.

    @ParameterizedTest
    @EnumSource
    void everyEdgeOfEveryTypeComesBack(Way way) throws IOException {
        for (int i = 0; i < Draw.edges().size(); i++) {
            Row row = new Row(
                    way.name(), String.valueOf(i), Map.of("V", Draw.edges().get(i)));
            write(table, row, way);
            assertComesBack(table, row);
        }
    }

    @ParameterizedTest
    @EnumSource
    void anEntityMayHaveAMegabyte(Way way) throws IOException {
        Row row = megabyte(way.name(), 0);
        write(table, row, way);
        assertComesBack(table, row);
        assertRefused(insert(megabyte("more", 1)), 400, "EntityTooLarge");
    }

    /** 4 bytes, twice the units of the keys, and for each property 8, twice its name and its value. */
    private static Row megabyte(String rowKey, int more) {
        String partitionKey = "megabyte";
        int left = MEGABYTE + more - 4 - 2 * (partitionKey.length() + rowKey.length());
        Map<String, Object> properties = new TreeMap<>();
        for (int i = 0; i < 17; i++) {
            String name = String.valueOf((char) ('a' + i));
            int bytes = Math.min(left - 8 - 2 - 4, i % 2 == 0 ? 60_000 : 65_536);
            properties.put(name, new Bytes("A5".repeat(bytes)));
            left -= 8 + 2 + 4 + bytes;
        }
        assertThat(left).isZero();
        return new Row(partitionKey, rowKey, properties);
    }

    // Writing.

    private Answer insert(Row row) throws IOException {
        return exchange(table.requests().insert(table.name(), row.json()));
    }

    private Answer exchange(Request request) throws IOException {
        return connection.exchange(request);
    }

    private void write(RawTable to, Row row, Way way) throws IOException {
        Requests requests = to.requests();
        String body = Edm.object(row.properties());
        Request put = Request.json("PUT", address(to, row)).body(body);
        Request merge = Request.json("PATCH", address(to, row)).body(body);
        Row before = row.with(Map.of("Before", 1));
        switch (way) {
            case INSERT -> assertWritten(204, requests.insert(to.name(), row.json()));
            case INSERT_AND_READ ->
                assertReads(201, row, Request.json("POST", to.path()).body(row.json()));
            case REPLACE -> {
                assertWritten(204, requests.insert(to.name(), before.json()));
                assertWritten(204, requests.sign(put.with("If-Match", "*")));
            }
            case MERGE -> {
                assertWritten(204, requests.insert(to.name(), row.with(Map.of()).json()));
                assertWritten(204, requests.sign(merge.with("If-Match", "*")));
            }
            case UPSERT_BY_REPLACE -> assertWritten(204, requests.sign(put));
            case UPSERT_BY_MERGE -> assertWritten(204, requests.sign(merge));
            case TRANSACTION -> {
                String other = "the neighbour";
                Row neighbour = new Row(row.partitionKey(), other, Map.of());
                Answer answer = assertWritten(
                        202,
                        requests.transaction(List.of(
                                requests.part("POST", to.path(), "", row.json()).with("Prefer", "return-no-content"),
                                requests.part("PUT", address(to, neighbour), "", "{}"))));
                assertThat(answer.text().split("HTTP/1.1 204 "))
                        .as(answer.text())
                        .hasSize(3);
                assertWritten(204, requests.delete(to.name(), row.partitionKey(), other, "*"));
            }
        }
    }

    private Answer assertWritten(int status, Request request) throws IOException {
        Answer answer = exchange(request);
        assertThat(answer.status()).as("%s: %s", request, answer).isEqualTo(status);
        assertThat(answer.header("Location")).matches("[\\x20-\\x7E]*");
        return answer;
    }

    // Reading.

    private void assertComesBack(RawTable from, Row row) throws IOException {
        Request get = Request.json("GET", address(from, row)).without("Accept");
        for (String level : List.of("minimalmetadata", "fullmetadata", "nometadata")) {
            assertReads(row, get.with("Accept", "application/json;odata=" + level));
        }
        String filter = "PartitionKey eq " + Edm.literals(row.partitionKey()).get(0) + " and RowKey eq "
                + Edm.literals(row.rowKey()).get(0);
        assertThat(scan(from, Requests.option("$filter", filter))).containsExactly(row);
    }

    private void assertReads(Row row, Request get) throws IOException {
        assertReads(200, row, get);
    }

    private void assertReads(int status, Row row, Request request) throws IOException {
        Answer answer = exchange(table.requests().sign(request));
        assertThat(answer.status()).as("%s: %s", request, answer).isEqualTo(status);
        boolean typed = !request.header("Accept").endsWith("nometadata");
        assertThat(read(JsonText.object(answer.body()), typed)).isEqualTo(typed ? row : untyped(row));
    }

    private static Row read(Map<String, @Nullable Object> entity, boolean typed) {
        Map<String, Object> properties = new TreeMap<>();
        for (String name : entity.keySet()) {
            Object value = Edm.read(entity, name);
            if (value != null && !name.contains("odata.") && !name.equals("Timestamp")) {
                properties.put(name, value);
            }
            assertThat(typed || !name.contains("odata.")).as(name).isTrue();
        }
        Object partitionKey = properties.remove("PartitionKey");
        Object rowKey = properties.remove("RowKey");
        return new Row(String.valueOf(partitionKey), String.valueOf(rowKey), properties);
    }

    /** The entity as read without type annotations. */
    private static Row untyped(Row row) {
        Map<String, Object> properties = new TreeMap<>(row.properties());
        properties.replaceAll((name, value) -> Edm.untyped(value));
        return row.with(properties);
    }

    private List<Row> scan(RawTable from, String... options) throws IOException {
        List<Row> rows = new ArrayList<>();
        for (Answer page : from.pages(connection, options)) {
            for (Map<String, @Nullable Object> entity : JsonText.entities(page.body())) {
                rows.add(read(entity, true));
            }
        }
        return rows;
    }

    /** The address with everything encoded, or for keys of an odd length with all characters raw that may be raw in a path. */
    private static String address(RawTable of, Row row) {
        String encoded = of.address(row.partitionKey(), row.rowKey());
        if ((row.partitionKey().length() + row.rowKey().length()) % 2 == 0) {
            return encoded;
        }
        String raw = encoded;
        for (char c : "!$&()*+,;=:@~".toCharArray()) {
            raw = raw.replace(Requests.encode(String.valueOf(c)), String.valueOf(c));
        }
        return raw;
    }
}
