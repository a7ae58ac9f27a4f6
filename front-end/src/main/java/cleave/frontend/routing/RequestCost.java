package cleave.frontend.routing;

import cleave.frontend.fairness.Admission;
import cleave.model.Incarnation;
import cleave.model.Row;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.spi.LoggingEventBuilder;

/** The costs of one request, for {@code x-cleave-explain}, the metrics and the account's rate limit. Confined to its loop. */
public final class RequestCost {
    /** Bounds the length of the header. */
    private static final int NAMED_MAX = 200;

    private final Admission admission;
    private final String account;
    private final Set<Long> ranges = new TreeSet<>();
    private final Set<String> servers = new TreeSet<>();
    private @Nullable QueryClass queryClass;
    private @Nullable String table;
    private long calls;
    private long examined;
    private long received;
    private long returned;
    private long written;
    private long held;
    private boolean throttled;
    private long callNanos;
    private long queueMicros;
    private long dfsMicros;

    /** The cost of a request of this account. */
    public RequestCost(Admission admission, String account) {
        this.admission = admission;
        this.account = account;
    }

    /** The request is a query of this class. */
    void classify(QueryClass its) {
        queryClass = its;
    }

    /** The request is about this table, which exists. */
    void concerns(String its) {
        table = its;
    }

    /** Counts a call to a range. The row is the map's, which may just have changed; exact enough to explain a query. */
    void called(@Nullable Row row) {
        calls++;
        if (row != null) {
            ranges.add(row.id());
            Incarnation owner = row.owner();
            if (owner != null) {
                servers.add(owner.server());
            }
        }
    }

    /**
     * Counts the time of a call to a range, over all its attempts.
     *
     * @param nanos from the first attempt to the answer
     * @param inQueueMicros of these, how long the last attempt waited for its turn at the server, as the server says
     * @param forDfsMicros and how long the server waited for the DFS
     */
    void waited(long nanos, int inQueueMicros, int forDfsMicros) {
        callNanos += nanos;
        queueMicros += inQueueMicros;
        dfsMicros += forDfsMicros;
    }

    void read(long entitiesExamined, long entitiesReceived) {
        examined += entitiesExamined;
        received += entitiesReceived;
    }

    void answered(long entitiesReturned) {
        returned += entitiesReturned;
    }

    void wrote(long entitiesWritten) {
        written += entitiesWritten;
    }

    /** Counts bytes of a page that were received. */
    void hold(long bytes) {
        held += bytes;
        admission.hold(account, bytes);
    }

    /** The request is answered: releases the bytes held, and charges the account for the entities. */
    public void settle(long nowNanos) {
        admission.letGo(account, held);
        held = 0;
        admission.pay(account, entities(), nowNanos);
    }

    /** False if the account holds its share of bytes, so that no more is to be fetched. */
    boolean hasRoom() {
        return admission.hasRoom(account);
    }

    /** A partition exceeds its rate limit. */
    void throttled() {
        throttled = true;
    }

    public boolean isThrottled() {
        return throttled;
    }

    /** Entities that were written, and those that were examined, returned or not. */
    public long entities() {
        return written + examined;
    }

    /** The query's class; null if the request is not a query. */
    public @Nullable QueryClass queryClass() {
        return queryClass;
    }

    /**
     * Adds where the time of the request went: to this front end, to servers, to their queues, and to the DFS.
     *
     * @param nanos that the request took in all
     */
    public LoggingEventBuilder tell(LoggingEventBuilder line, long nanos) {
        return line.addKeyValue("millis", nanos / 1_000_000)
                .addKeyValue("ownMillis", Math.max(0, nanos - callNanos) / 1_000_000)
                .addKeyValue("serverMillis", Math.max(0, callNanos / 1_000 - queueMicros - dfsMicros) / 1_000)
                .addKeyValue("queueMillis", queueMicros / 1_000)
                .addKeyValue("dfsMillis", dfsMicros / 1_000)
                .addKeyValue("calls", calls)
                .addKeyValue("ranges", named(ranges.stream().map(Row::idText)))
                .addKeyValue("servers", named(servers.stream()));
    }

    /** The name of the table that it was about, as it was created; null if it reached no table. */
    public @Nullable String table() {
        return table;
    }

    /** Calls to ranges. */
    public long calls() {
        return calls;
    }

    /** Ranges visited. */
    public int ranges() {
        return ranges.size();
    }

    /** Servers visited. */
    public int servers() {
        return servers.size();
    }

    /** Entities that servers examined. */
    public long examined() {
        return examined;
    }

    /** Entities that servers sent. */
    public long received() {
        return received;
    }

    /** Entities that were returned to the client. */
    public long returned() {
        return returned;
    }

    /**
     * The value of the answer's header, for example {@code class=row-range; ranges=1; servers=1; calls=1; examined=3; received=3;
     * returned=3; ms=2; range-ids=17.0; server-ids=s1}. Of very many ids only the first are named.
     */
    public String explain(long millis) {
        String queried = queryClass == null ? "" : "class=" + queryClass.label() + "; ";
        return queried + "ranges=" + ranges.size() + "; servers=" + servers.size() + "; calls=" + calls + "; examined="
                + examined + "; received=" + received + "; returned=" + returned + "; ms=" + millis + "; range-ids="
                + named(ranges.stream().map(Row::idText)) + "; server-ids=" + named(servers.stream());
    }

    private static String named(Stream<String> ids) {
        return ids.limit(NAMED_MAX).collect(Collectors.joining(","));
    }
}
