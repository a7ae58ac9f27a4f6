package cleave.chaos.fault;

import cleave.client.Endpoint;
import com.azure.core.exception.AzureException;
import com.azure.core.exception.HttpResponseException;
import com.azure.data.tables.TableClient;
import com.azure.data.tables.TableClientBuilder;
import com.azure.data.tables.models.ListEntitiesOptions;
import com.azure.data.tables.models.TableEntity;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/**
 * A client as users have it: the SDK with its own defaults, so it retries what the service says may be retried. Alone writes some
 * entities in each partition, and reads them back, one by one and by lists. Confined to its own thread while it runs.
 */
final class SdkClient implements Runnable {
    /** Leaves the processes what these need to go on. */
    private static final long PAUSE_NANOS = 10_000_000;

    private static final int PER_LIST = 20;

    private final TableClient table;
    private final String prefix;
    private final Thread thread = new Thread(this, "sdk");
    private final long[] last = new long[FaultCluster.PARTITIONS];
    private final List<String> failures = new ArrayList<>();
    private final List<String> wrong = new ArrayList<>();
    private final AtomicLong done = new AtomicLong();
    private int life;
    private volatile boolean stopped;

    /** @param prefix of all RowKeys; no two clients have the same */
    SdkClient(Endpoint endpoint, String prefix) {
        this.table = new TableClientBuilder()
                .connectionString(endpoint.connectionString())
                .tableName(FaultCluster.TABLE)
                .buildClient();
        this.prefix = prefix;
    }

    void start() {
        thread.start();
    }

    void stop() throws InterruptedException {
        stopped = true;
        thread.join();
    }

    /** Calls that ended in an exception. */
    List<String> failures() {
        return List.copyOf(failures);
    }

    /** Entities that were not as this client had left them. */
    List<String> wrong() {
        return List.copyOf(wrong);
    }

    long done() {
        return done.get();
    }

    @Override
    public void run() {
        for (int round = 0; !stopped; round++) {
            int partition = round % FaultCluster.PARTITIONS;
            try {
                writeAndRead(partition, round);
                if (round >= FaultCluster.PARTITIONS && round % PER_LIST == 0) {
                    list();
                }
                done.incrementAndGet();
            } catch (AzureException failed) {
                failures.add(failed.getMessage() + status(failed));
                startAnew();
            } catch (RuntimeException failed) {
                failures.add(String.valueOf(failed));
                startAnew();
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    private static String status(AzureException failed) {
        return failed instanceof HttpResponseException answered && answered.getResponse() != null
                ? " (" + answered.getResponse().getStatusCode() + ")"
                : "";
    }

    /** A write that failed may still happen, so its entity is left alone. */
    private void startAnew() {
        life++;
        Arrays.fill(last, 0);
    }

    private String rowKey() {
        return String.format(Locale.ROOT, "%s%04d", prefix, life);
    }

    private void writeAndRead(int partition, long value) {
        String partitionKey = RecordingClients.partitionKey(partition);
        table.upsertEntity(new TableEntity(partitionKey, rowKey()).addProperty("Number", value + 1));
        last[partition] = value + 1;
        Object read = table.getEntity(partitionKey, rowKey()).getProperty("Number");
        if (!Long.valueOf(value + 1).equals(read)) {
            wrong.add(partitionKey + ": " + read + " instead of " + (value + 1));
        }
    }

    private void list() {
        var options = new ListEntitiesOptions().setFilter("RowKey eq '" + rowKey() + "'");
        List<String> listed = table.listEntities(options, null, null).stream()
                .map(entity -> entity.getPartitionKey() + "=" + entity.getProperty("Number"))
                .collect(Collectors.toList());
        List<String> expected = new ArrayList<>();
        for (int partition = 0; partition < last.length; partition++) {
            if (last[partition] != 0) {
                expected.add(RecordingClients.partitionKey(partition) + "=" + last[partition]);
            }
        }
        if (!listed.equals(expected)) {
            wrong.add("a list gave " + listed + " instead of " + expected);
        }
    }
}
