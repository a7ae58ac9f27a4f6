package cleave.master.core;

import cleave.master.servers.HeartbeatSink;
import cleave.master.servers.Session;
import cleave.model.FeatureLevels;
import cleave.model.Incarnation;
import cleave.model.Row;
import cleave.wire.ErrorCode;
import cleave.wire.HandoffProgress;
import cleave.wire.HeartbeatReply;
import cleave.wire.HeartbeatRequest;
import cleave.wire.LeaderClock;
import cleave.wire.RangeLoad;
import cleave.wire.RangeTrouble;
import cleave.wire.Space;
import java.util.List;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A partition server as the master sees it: heartbeats, and the orders that came back. Confined to one test. */
public final class FakeServer implements HeartbeatSink {
    private final Incarnation incarnation;
    private final TreeMap<Long, Row> serving = new TreeMap<>();
    private List<HandoffProgress> handoffs = List.of();
    private MasterLoop master;
    private Session session;
    private BiConsumer<Row, RangeLoad.Builder> measured = (row, load) -> {};
    private HeartbeatReply last = HeartbeatReply.getDefaultInstance();
    private boolean closed;
    /** Hears of each event, in words. */
    Consumer<String> listener = text -> {};

    private String said = "";
    private Supplier<Long> clock = () -> 0L;
    private long sentNanos;
    private long openingProgress;
    private int openingProgressEach;
    private FeatureLevels levels = FeatureLevels.SUPPORTED;
    private String dfs = FakeFiles.DFS;
    private @Nullable LongSupplier dfsSilentMillis;

    public FakeServer(Incarnation incarnation, MasterLoop master) {
        this.incarnation = incarnation;
        this.master = master;
        this.session = master.heartbeats().open(this);
    }

    public Incarnation incarnation() {
        return incarnation;
    }

    /** Opens a stream to another master. */
    public void connect(MasterLoop other) {
        closed = false;
        master = other;
        session = other.heartbeats().open(this);
    }

    private Space space =
            Space.newBuilder().setFreeBytes(500).setReserveBytes(50).build();

    public void serve(Row row) {
        serving.put(row.id(), row);
    }

    /** Serves exactly what the map gives it. */
    public void serveOnly(List<Row> rows) {
        serving.clear();
        rows.forEach(this::serve);
    }

    /** Says with its heartbeats that it carries these handoffs out. */
    public void carryOut(HandoffProgress... progress) {
        handoffs = List.of(progress);
    }

    /** From now on it reports this load of each range that it serves. */
    public void measure(BiConsumer<Row, RangeLoad.Builder> load) {
        measured = load;
    }

    /** Says from now on with its heartbeats what it supports. */
    public void support(FeatureLevels supported) {
        levels = supported;
    }

    /** Says from now on with its heartbeats that it uses this DFS. */
    public void use(String otherDfs) {
        dfs = otherDfs;
    }

    /** Says from now on with its heartbeats for how long the DFS has not answered it. */
    public void probe(LongSupplier silentMillis) {
        dfsSilentMillis = silentMillis;
    }

    /** Says from now on with its heartbeats what its clock shows. */
    public void showClock(Supplier<Long> ticks) {
        clock = ticks;
    }

    /** Says from now on with each heartbeat that its openings make progress, or that they do not. */
    public void makeProgress(boolean makesProgress) {
        openingProgressEach = makesProgress ? 1 : 0;
    }

    public void beat() {
        master.heartbeats().heard(session, heartbeat().build());
    }

    public void complain(Row row, String reason) {
        complain(row, reason, false);
    }

    /** Says that its store of a range failed, which it served, or was to open. */
    public void complainOfStore(Row row, String reason) {
        serving.remove(row.id());
        complain(row, reason, true);
    }

    private void complain(Row row, String reason, boolean ofStore) {
        HeartbeatRequest.Builder heartbeat = heartbeat()
                .addTroubles(RangeTrouble.newBuilder()
                        .setRange(row.id())
                        .setVersion(row.version())
                        .setReason(reason)
                        .setStore(ofStore));
        master.heartbeats().heard(session, heartbeat.build());
    }

    /** Has so little space left that it is low, or not. */
    public void isLow(boolean low) {
        space = Space.newBuilder()
                .setFreeBytes(low ? 5 : 500)
                .setReserveBytes(50)
                .build();
    }

    private HeartbeatRequest.Builder heartbeat() {
        HeartbeatRequest.Builder heartbeat = HeartbeatRequest.newBuilder()
                .setSpace(space)
                .setClockTicks(clock.get())
                .setSentNanos(++sentNanos)
                .setIncarnation(incarnation.toWire())
                .setLevels(levels.toWire())
                .setDfs(dfs)
                .setWhole(true)
                .setOpeningProgress(openingProgress += openingProgressEach)
                .setAdmin("admin-of-" + incarnation.server())
                .setCpu(0.25)
                .addAllHandoffs(handoffs);
        if (dfsSilentMillis != null) {
            heartbeat.setDfsSilentMillis(dfsSilentMillis.getAsLong());
        }
        for (Row row : serving.values()) {
            RangeLoad.Builder load = RangeLoad.newBuilder()
                    .setRange(row.id())
                    .setEpoch(row.epoch())
                    .setEntitiesPerSecond(10)
                    .setBytes(1_000);
            measured.accept(row, load);
            heartbeat.addRanges(load);
        }
        return heartbeat;
    }

    public void breakStream() {
        closed = true;
        master.heartbeats().broken(session);
    }

    /** The ranges that the last reply asked it to open. */
    public List<Row> orders() {
        return last.getOpenList().stream().map(Row::fromWire).toList();
    }

    /** The leader's clock in the last reply; null if there was none. */
    @Nullable
    public LeaderClock clock() {
        return last.hasClock() ? last.getClock() : null;
    }

    public long sentNanos() {
        return sentNanos;
    }

    private ErrorCode code() {
        return last.getStatus().getCode();
    }

    private String message() {
        return last.getStatus().getMessage();
    }

    @Override
    public void send(HeartbeatReply reply) {
        last = reply;
        List<String> asked = orders().stream()
                .map(row -> Row.idText(row.id()) + row.range())
                .sorted()
                .toList();
        String now = code() == ErrorCode.OK
                ? incarnation.server() + " is to open " + (asked.isEmpty() ? "nothing" : String.join(", ", asked))
                : incarnation.server() + " is told " + code() + " " + message();
        if (!now.equals(said.isEmpty() ? incarnation.server() + " is to open nothing" : said)) {
            listener.accept(now);
        }
        said = now;
    }

    @Override
    public void close() {
        if (!closed) {
            listener.accept("the stream of " + incarnation.server() + " is closed");
        }
        closed = true;
    }
}
