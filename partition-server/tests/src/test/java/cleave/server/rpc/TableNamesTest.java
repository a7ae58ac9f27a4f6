package cleave.server.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.model.Incarnation;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.Row;
import cleave.model.entity.EdmType;
import cleave.model.entity.Entity;
import cleave.model.entity.EntityCodec;
import cleave.model.entity.Projection;
import cleave.model.entity.Property;
import cleave.model.table.Registry;
import cleave.model.table.TableName;
import cleave.route.ManualMapView;
import cleave.route.ManualTransport;
import cleave.route.RangeClient;
import cleave.runtime.loop.ManualLoop;
import cleave.server.state.TableSize;
import cleave.wire.ErrorCode;
import cleave.wire.ScanReply;
import cleave.wire.ScanRequest;
import cleave.wire.ScanRow;
import cleave.wire.Status;
import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class TableNamesTest {
    private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

    private final ManualLoop loop = new ManualLoop();
    private final ManualTransport transport = new ManualTransport();
    private final ManualMapView map = new ManualMapView();
    private final List<TableSize> stored = new ArrayList<>();
    private final TreeMap<Key, Registry> registry = new TreeMap<>();
    private final TreeSet<Key> unreadable = new TreeSet<>();
    private final TableNames names = names(new Random(1));
    private int answered;
    private boolean isDown;

    private TableNames names(Random random) {
        RangeClient ranges = new RangeClient(loop, transport, map, new Random(1));
        return new TableNames(loop, ranges, () -> List.copyOf(stored), random);
    }

    private void start() {
        start(names);
        run(MINUTE + MINUTE / 2);
    }

    private void start(TableNames started) {
        map.set(1, new Row(Row.id(1, 0), KeyRange.ALL, new Incarnation("s1", 1), null, 1, 1));
        started.start();
    }

    private void table(long id, String account, String name) {
        registry.put(Registry.key(account, name), new Registry(id, name, false));
    }

    private void stored(long id) {
        stored.add(new TableSize(id, 10, 1));
    }

    /** Lets time pass, and answers what is asked meanwhile. */
    private void run(long nanos) {
        for (long passed = 0; passed < nanos; passed += MINUTE / 60) {
            loop.advance(MINUTE / 60);
            loop.runReady();
            while (answered < transport.scans.size()) {
                ManualTransport.Call<ScanRequest, ScanReply> call = transport.scans.get(answered++);
                call.answer().complete(isDown ? unavailable() : answer(call.request()));
                loop.runReady();
            }
        }
    }

    private static ScanReply unavailable() {
        return ScanReply.newBuilder()
                .setStatus(Status.newBuilder().setCode(ErrorCode.UNAVAILABLE))
                .build();
    }

    private ScanReply answer(ScanRequest request) {
        ScanReply.Builder reply =
                ScanReply.newBuilder().setStatus(Status.newBuilder().setCode(ErrorCode.OK));
        Projection projection = Projection.of(request.getSelectList());
        for (var each : registry.tailMap(Key.fromWire(request.getStart()), true).entrySet()) {
            if (reply.getRowsCount() == request.getLimit()) {
                return reply.setExaminedUntil(each.getKey().toWire()).build();
            }
            reply.addRows(ScanRow.newBuilder()
                    .setKey(each.getKey().toWire())
                    .setEntity(ByteString.copyFrom(
                            projection.apply(EntityCodec.encode(stored(each.getKey(), each.getValue()))))));
        }
        return reply.setExaminedUntil(request.getEnd()).build();
    }

    private Entity stored(Key key, Registry table) {
        Entity entity = table.toEntity();
        if (!unreadable.contains(key)) {
            return entity;
        }
        List<Property> later = new ArrayList<>(entity.properties());
        later.add(new Property("Format", EdmType.INT32, 2));
        return new Entity(0, later);
    }

    @Test
    void theTablesThatAreStoredHereGetTheNamesOfTheRegistry() {
        table(3, "a", "Red");
        table(4, "b", "Blue");
        stored(3);
        start();

        assertThat(names.known()).containsOnly(Map.entry(3L, new TableName("a", "Red")));
    }

    @Test
    void whileEveryTableHasItsNameNobodyIsAsked() {
        table(3, "a", "Red");
        stored(3);
        stored(Registry.TABLE);
        stored(TableSize.OTHERS);
        start();
        int before = transport.scans.size();

        run(10 * MINUTE);

        assertThat(before).isEqualTo(1);
        assertThat(transport.scans).hasSize(1);
    }

    @Test
    void aNewTableGetsItsNameAndOneThatIsGoneLosesIt() {
        table(3, "a", "Red");
        stored(3);
        start();

        table(4, "b", "Blue");
        stored.clear();
        stored(4);
        run(2 * MINUTE);

        assertThat(names.known()).containsOnly(Map.entry(4L, new TableName("b", "Blue")));
    }

    /** Its table is being deleted. */
    @Test
    void anIdThatAWholeWalkDidNotFindIsNotSoughtAgain() {
        stored(9);
        start();
        assertThat(transport.scans).hasSize(1);

        run(10 * MINUTE);

        assertThat(transport.scans).hasSize(1);
        assertThat(names.known()).isEmpty();
    }

    /** The row of its table may be one of those that a newer version has written. */
    @Test
    void anIdIsSoughtAgainAfterAWalkThatCouldNotReadAllRows() {
        table(3, "a", "Red");
        stored(3);
        unreadable.add(Registry.key("a", "Red"));
        start();
        assertThat(transport.scans).hasSize(1);
        assertThat(names.known()).isEmpty();

        unreadable.clear();
        run(2 * MINUTE);

        assertThat(names.known()).containsOnly(Map.entry(3L, new TableName("a", "Red")));
    }

    @Test
    void accessPoliciesAreNotFetched() {
        stored(3);
        start();

        assertThat(transport.scans.get(0).request().getSelectList())
                .contains(Registry.NAME)
                .doesNotContain("Policies");
    }

    @Test
    void serversThatWereStartedTogetherDoNotLookTogether() {
        stored(9);
        Random random = new Random(1);
        for (int server = 1; server <= 10; server++) {
            start(names(random));
        }
        run(MINUTE - MINUTE / 60);
        assertThat(transport.scans).isEmpty();

        int most = 0;
        for (int second = 0; second <= 30; second++) {
            int before = transport.scans.size();
            run(MINUTE / 60);
            most = Math.max(most, transport.scans.size() - before);
        }

        assertThat(transport.scans).hasSize(10);
        assertThat(most).isLessThan(5);
    }

    @Test
    void aLargeRegistryIsWalkedInParts() {
        for (int i = 1; i <= 25_000; i++) {
            table(i, "a", "Table%06d".formatted(i));
        }
        stored(25_000);
        start();
        assertThat(transport.scans).hasSize(20);
        assertThat(names.known()).isEmpty();

        run(2 * MINUTE);

        assertThat(transport.scans).hasSize(25);
        assertThat(names.known()).containsKey(25_000L);
    }

    @Test
    void ofMoreTablesThanAreNamedTheLargestAre() {
        for (int i = 1; i <= TableNames.NAMED_MAX + 1; i++) {
            table(i, "a", "Table%06d".formatted(i));
            stored.add(new TableSize(i, i, 1));
        }
        start();

        assertThat(names.known()).hasSize(TableNames.NAMED_MAX).doesNotContainKey(1L);
    }

    @Test
    void aRegistryThatDoesNotAnswerIsAskedAgain() {
        table(3, "a", "Red");
        stored(3);
        isDown = true;
        start();
        assertThat(names.known()).isEmpty();

        isDown = false;
        run(2 * MINUTE);

        assertThat(names.known()).containsKey(3L);
    }
}
