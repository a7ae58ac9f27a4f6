package cleave.chaos.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.chaos.system.StandaloneSystem;
import cleave.client.Answer;
import cleave.client.Connection;
import cleave.client.Endpoint;
import cleave.client.Requests;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** An account may have any number of tables: they are rows of one more table, and listed by pages. */
@ExtendWith(StandaloneSystem.class)
@Tag("nightly")
class ManyTablesIT {
    private static final int TABLES = 1_000;
    /** More than one answer names. */
    private static final int OTHERS = 100;

    private static final int CLIENTS = 8;
    private static final Pattern NAME = Pattern.compile("\"TableName\":\"([^\"]+)\"");

    private final Endpoint endpoint;
    private final Requests requests;
    private final String prefix =
            "m" + UUID.randomUUID().toString().replace("-", "").substring(0, 10);

    ManyTablesIT(Endpoint endpoint) {
        this.endpoint = endpoint;
        this.requests = new Requests(endpoint);
    }

    private String table(int number) {
        return String.format(Locale.ROOT, "%sx%04d", prefix, number);
    }

    private interface Work {
        void on(Connection connection, int table) throws IOException;
    }

    /** Does the work for each table, by several clients. */
    private void each(Work work) throws InterruptedException, ExecutionException {
        ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                int first = i;
                all.add(clients.submit(() -> {
                    try (Connection connection = Connection.open(endpoint, Duration.ofSeconds(60))) {
                        for (int table = first; table < TABLES + OTHERS; table += CLIENTS) {
                            work.on(connection, table);
                        }
                        return null;
                    }
                }));
            }
            for (Future<?> each : all) {
                each.get();
            }
        } finally {
            clients.shutdownNow();
        }
    }

    private List<String> listed() throws IOException {
        List<String> names = new ArrayList<>();
        try (Connection connection = Connection.open(endpoint, Duration.ofSeconds(60))) {
            String next = "";
            do {
                List<String> options = new ArrayList<>(List.of(Requests.option(
                        "$filter", "TableName ge '" + prefix + "' and TableName lt '" + prefix + "y'")));
                if (!next.isEmpty()) {
                    options.add(Requests.option("NextTableName", next));
                }
                Answer page = connection.exchange(requests.query("Tables", options));
                assertThat(page.status()).as(page.text()).isEqualTo(200);
                Matcher found = NAME.matcher(page.text());
                while (found.find()) {
                    names.add(found.group(1));
                }
                next = page.header("x-ms-continuation-NextTableName");
            } while (!next.isEmpty());
        }
        return names;
    }

    @Test
    void aThousandTablesAreMadeListedUsedAndDropped() throws Exception {
        each((connection, table) -> {
            assertThat(connection.exchange(requests.createTable(table(table))).status())
                    .isEqualTo(204);
            assertThat(connection
                            .exchange(requests.insert(
                                    table(table), "{\"PartitionKey\":\"p\",\"RowKey\":\"r\",\"Number\":" + table + "}"))
                            .status())
                    .isEqualTo(204);
        });
        List<String> names = listed();
        assertThat(names).hasSize(TABLES + OTHERS).doesNotHaveDuplicates().isSorted();

        each((connection, table) -> {
            Answer entity = connection.exchange(requests.get(table(table), "p", "r"));
            assertThat(entity.status()).isEqualTo(200);
            assertThat(entity.text()).contains("\"Number\":" + table + "}");
        });

        each((connection, table) -> {
            if (table < TABLES) {
                assertThat(connection
                                .exchange(requests.deleteTable(table(table)))
                                .status())
                        .isEqualTo(204);
            }
        });
        assertThat(listed()).hasSize(OTHERS).isEqualTo(names.subList(TABLES, names.size()));
        each((connection, table) -> assertThat(connection
                        .exchange(requests.get(table(table), "p", "r"))
                        .status())
                .isEqualTo(table < TABLES ? 404 : 200));
    }
}
