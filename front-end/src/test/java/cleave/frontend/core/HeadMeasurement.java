package cleave.frontend.core;

import cleave.frontend.protocol.odata.Headers;
import cleave.frontend.protocol.odata.QueryOptions;
import cleave.frontend.request.AdmittedRequest;
import cleave.frontend.request.Request;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Locale;

/**
 * Measures what the head of a point read costs, from its fields to an admitted request: nanoseconds of its processor and
 * allocated bytes, with the headers that the SDKs send, kept as the HTTP library keeps them. To be run by hand.
 */
public final class HeadMeasurement {
    private static final int ROUNDS = 9;
    private static final int REQUESTS = 300_000;
    private static final int TARGETS = 4_096;

    private HeadMeasurement() {}

    public static void main(String[] arguments) {
        CoreClient client = new CoreClient();
        Request[] requests = new Request[TARGETS];
        for (int i = 0; i < TARGETS; i++) {
            requests[i] = request(client, i);
        }
        com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        for (int round = 1; round <= ROUNDS; round++) {
            long allocated = threads.getCurrentThreadAllocatedBytes();
            long began = threads.getCurrentThreadCpuTime();
            long sum = client.loop.call(() -> admitAll(client.core, requests));
            double nanos = (threads.getCurrentThreadCpuTime() - began) / (double) REQUESTS;
            double bytes = (threads.getCurrentThreadAllocatedBytes() - allocated) / (double) REQUESTS;
            System.out.printf(
                    Locale.ROOT, "round %d: %.0f ns, %.0f bytes a request (checksum %d)%n", round, nanos, bytes, sum);
        }
    }

    private record Fields(MultiMap fields) implements Headers {
        @Override
        public List<String> all(String name) {
            return fields.getAll(name);
        }

        @Override
        public String first(String name) {
            return fields.get(name);
        }
    }

    private static long admitAll(FrontEndCore core, Request[] requests) {
        long sum = 0;
        for (int i = 0; i < REQUESTS; i++) {
            AdmittedRequest admitted = core.admit(requests[i & (TARGETS - 1)]);
            sum += admitted.deadlineNanos();
            sum += QueryOptions.ofPointGet(admitted.query()).selection().hashCode();
            sum += admitted.formats()
                    .negotiate(admitted.query(), admitted.request().headers(), false)
                    .hashCode();
        }
        return sum;
    }

    private static Request request(CoreClient client, int number) {
        String target =
                "/" + CoreClient.ACCOUNT + "/Orders(PartitionKey='p" + number % 97 + "',RowKey='" + number + "')";
        SignedHeaders signed = new SignedHeaders().signed(target, client.loop.ticks());
        MultiMap fields = HttpHeaders.headers();
        fields.add("Host", "127.0.0.1:10002");
        fields.add("Accept", "application/json;odata=minimalmetadata");
        fields.add("DataServiceVersion", "3.0");
        fields.add("MaxDataServiceVersion", "3.0");
        fields.add("User-Agent", "azsdk-java-azure-data-tables/12.5.0 (17; Linux; 6.1)");
        fields.add("x-ms-version", "2019-02-02");
        fields.add("x-ms-client-request-id", "6b1d4f5e-41a3-4f5b-8f4e-0123456789ab");
        fields.add("x-ms-date", signed.first("x-ms-date"));
        fields.add("Authorization", signed.first("Authorization"));
        return Request.of("request-" + number, "GET", target, "http", "127.0.0.1", new Fields(fields));
    }
}
