package cleave.chaos.conformance;

import static cleave.chaos.conformance.RawTable.json;
import static org.assertj.core.api.Assertions.assertThat;

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
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Nobody ever sees a part of a transaction, nor anything of one that was refused (invariant I6). */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class IsolationContract {
    private static final int WRITERS = 2;
    private static final int READERS = 2;
    private static final int ROUNDS = 60;
    private static final int SHARED = 30;
    private static final int REFUSED = -1;

    private final Endpoint endpoint;

    IsolationContract(Endpoint endpoint) {
        this.endpoint = endpoint;
    }

    /**
     * Every transaction gives all shared entities the same new value and moves a token from one entity to another; every other
     * one is refused for its last operation. So each page over the partition shows one value, and one token of each writer.
     */
    @Test
    void readersSeeWholeTransactionsOnly() throws Exception {
        RawTable table = RawTable.create(endpoint);
        try (Connection connection = table.connect()) {
            for (int writer = 0; writer < WRITERS; writer++) {
                assertDone(connection.exchange(transaction(table, 0, List.of(insert(table, token(writer, 0))))));
            }
        }
        AtomicInteger writing = new AtomicInteger(WRITERS);
        ExecutorService threads = Executors.newFixedThreadPool(WRITERS + READERS);
        try {
            List<Future<Integer>> ends = new ArrayList<>();
            for (int writer = 0; writer < WRITERS; writer++) {
                int number = writer;
                ends.add(threads.submit(() -> write(table, number, writing)));
            }
            for (int reader = 0; reader < READERS; reader++) {
                ends.add(threads.submit(() -> read(table, writing)));
            }
            for (Future<Integer> end : ends) {
                assertThat(end.get()).isPositive();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private static int write(RawTable table, int writer, AtomicInteger writing) throws IOException {
        try (Connection connection = table.connect()) {
            for (int round = 1; round <= ROUNDS; round++) {
                List<Request> move =
                        List.of(delete(table, token(writer, round - 1)), insert(table, token(writer, round)));
                assertDone(connection.exchange(transaction(table, round * WRITERS + writer, move)));
                List<Request> impossible =
                        List.of(insert(table, token(writer, round + 1)), delete(table, "no such entity"));
                Answer refused = connection.exchange(transaction(table, REFUSED, impossible));
                assertThat(refused.status()).isEqualTo(202);
                assertThat(refused.text()).contains("HTTP/1.1 404", "\"" + (SHARED + 1) + ":The specified resource");
            }
            return ROUNDS;
        } finally {
            writing.decrementAndGet();
        }
    }

    private static void assertDone(Answer answer) {
        assertThat(answer.status()).isEqualTo(202);
        assertThat(answer.text()).doesNotContain("odata.error");
    }

    /** Answers how many pages it saw. A page that was cut proves nothing: the rest is read later. */
    private static int read(RawTable table, AtomicInteger writing) throws IOException {
        Request page = table.requests().query(table.name(), List.of(Requests.option("$filter", "PartitionKey eq 'p'")));
        int pages = 0;
        try (Connection connection = table.connect()) {
            do {
                Answer answer = connection.exchange(page);
                assertThat(answer.status()).isEqualTo(200);
                if (answer.header("x-ms-continuation-NextPartitionKey").isEmpty()) {
                    assertWhole(JsonText.entities(answer.body()));
                    pages++;
                }
            } while (writing.get() > 0);
        }
        return pages;
    }

    private static void assertWhole(List<Map<String, @Nullable Object>> entities) {
        Set<Object> values = entities.stream()
                .filter(entity -> String.valueOf(entity.get("RowKey")).startsWith("shared"))
                .map(entity -> String.valueOf(entity.get("V")))
                .collect(Collectors.toSet());
        assertThat(values).hasSize(1).doesNotContain(String.valueOf(REFUSED));
        for (int writer = 0; writer < WRITERS; writer++) {
            String prefix = "token" + writer;
            assertThat(entities.stream()
                            .filter(entity ->
                                    String.valueOf(entity.get("RowKey")).startsWith(prefix)))
                    .hasSize(1);
        }
        assertThat(entities).hasSize(SHARED + WRITERS);
    }

    private static String token(int writer, int round) {
        return "token" + writer + "-" + round;
    }

    private static Request transaction(RawTable table, int value, List<Request> more) {
        List<Request> parts = new ArrayList<>();
        for (int i = 0; i < SHARED; i++) {
            String rowKey = String.format("shared%03d", i);
            parts.add(table.requests().part("PUT", table.address("p", rowKey), "", "{\"V\":" + value + "}"));
        }
        parts.addAll(more);
        return table.requests().transaction(parts);
    }

    private static Request insert(RawTable table, String rowKey) {
        return table.requests().part("POST", table.path(), "", json("p", rowKey));
    }

    private static Request delete(RawTable table, String rowKey) {
        return table.requests().part("DELETE", table.address("p", rowKey), "*", "");
    }
}
