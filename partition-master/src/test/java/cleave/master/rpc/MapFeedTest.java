package cleave.master.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.master.loop.StreamSink;
import cleave.master.metrics.MasterMetrics;
import cleave.master.state.LargeMap;
import cleave.master.state.MasterCommand.AllocateTableIds;
import cleave.master.state.MasterCommand.Publish;
import cleave.master.state.MasterState;
import cleave.master.state.Script;
import cleave.model.Incarnation;
import cleave.model.KnownMasters;
import cleave.model.MapAssembly;
import cleave.model.MapChange;
import cleave.model.PartitionMap;
import cleave.model.Row;
import cleave.runtime.loop.ManualLoop;
import cleave.wire.MapUpdate;
import cleave.wire.WatchRequest;
import io.prometheus.client.CollectorRegistry;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class MapFeedTest {
    private final ManualLoop loop = new ManualLoop();
    private final Script script = Script.started();
    private final Incarnation s1 = script.register("s1");
    private KnownMasters masters = new KnownMasters("m1", 1, List.of("m1", "m2"));
    private final MapFeed feed = new MapFeed(loop, new MasterMetrics(new CollectorRegistry()), () -> masters);

    @BeforeEach
    void start() {
        feed.start();
        script.apply(Script.takeover(script.rowAt(0), s1, "m/1"));
        feed.changed(script.state());
        loop.runReady();
    }

    @Test
    void aNewWatcherGetsTheWholeMapThenChanges() {
        Fake watcher = join(0);
        assertThat(watcher.updates).hasSize(1);
        assertThat(watcher.updates.get(0).getWhole()).isTrue();
        publish();
        assertThat(watcher.updates).hasSize(2);
        assertThat(watcher.last().getWhole()).isFalse();
        assertThat(watcher.last().getRowsList()).containsExactly(script.rowAt(0).toWire());
        assertThat(watcher.map()).isEqualTo(List.copyOf(script.state().rows().all()));
    }

    @Test
    void aWatcherThatComesBackGetsChangesOnly() {
        long version = script.state().mapVersion();
        split();
        Fake watcher = join(version);
        assertThat(watcher.last().getWhole()).isFalse();
        assertThat(watcher.last().getRowsList()).hasSize(2);
        assertThat(watcher.last().getRemovedList()).hasSize(1);
    }

    @Test
    void aWatcherThatMissedTooMuchGetsTheWholeMap() {
        long version = script.state().mapVersion();
        for (int i = 0; i < 600; i++) {
            publish();
        }
        Fake watcher = join(version);
        assertThat(watcher.last().getWhole()).isTrue();
        assertThat(watcher.last().getVersion()).isEqualTo(script.state().mapVersion());
    }

    @Test
    void aWatcherThatKnowsMoreWaitsUntilThisMasterHasCaughtUp() {
        Fake watcher = join(script.index() + 2);
        assertThat(watcher.updates).isEmpty();
        publish();
        publish();
        assertThat(watcher.last().getVersion()).isEqualTo(script.state().mapVersion());
    }

    @Test
    void aSlowWatcherGetsMergedChanges() {
        Fake watcher = join(0);
        watcher.ready = false;
        for (int i = 0; i < 50; i++) {
            publish();
        }
        split();
        assertThat(watcher.updates).hasSize(1);
        watcher.ready = true;
        feed.ready(watcher.watcher);
        loop.runReady();
        assertThat(watcher.updates).hasSize(2);
        assertThat(watcher.map()).isEqualTo(List.copyOf(script.state().rows().all()));
    }

    @Test
    void aLargeMapComesInPiecesAndIsSeenWithTheLast() {
        feed.changed(LargeMap.state(10_000));
        loop.runReady();
        Fake watcher = join(0);
        assertThat(watcher.updates).hasSizeGreaterThan(3);
        assertThat(watcher.updates).allMatch(update -> update.getSerializedSize() < MapChange.PIECE_BYTES + 10_000);
        assertThat(watcher.updates).filteredOn(update -> !update.getMore()).containsExactly(watcher.last());
        assertThat(watcher.map())
                .isEqualTo(List.copyOf(LargeMap.state(10_000).rows().all()));
        assertThat(watcher.last().getServersCount()).isEqualTo(LargeMap.SERVERS);
    }

    @Test
    void aLargeChangeComesInPiecesToo() {
        MasterState before = LargeMap.state(10_000);
        feed.changed(before);
        loop.runReady();
        Fake watcher = join(before.mapVersion());
        int updates = watcher.updates.size();
        feed.changed(LargeMap.changedEverywhere(before));
        loop.runReady();
        assertThat(watcher.updates.size() - updates).isGreaterThan(3);
        assertThat(watcher.last().getWhole()).isFalse();
    }

    @Test
    void aWatcherThatKnowsNoPiecesGetsOneMessage() {
        feed.changed(LargeMap.state(10_000));
        loop.runReady();
        Fake watcher = new Fake(0, false);
        feed.join(watcher.watcher);
        loop.runReady();
        assertThat(watcher.updates).hasSize(1);
        assertThat(watcher.last().getMore()).isFalse();
        assertThat(watcher.last().getRowsCount()).isEqualTo(10_000);
    }

    @Test
    void serversAreToldOnceAndAgainWhenTheyChange() {
        Fake watcher = new Fake(
                WatchRequest.newBuilder().setPieces(true).setSameServers(true).build());
        feed.join(watcher.watcher);
        loop.runReady();
        split();
        assertThat(watcher.last().getSameServers()).isTrue();
        assertThat(watcher.last().getServersCount()).isZero();
        assertThat(watcher.whole().servers()).containsOnlyKeys(s1);
        Incarnation s2 = script.register("s2");
        feed.changed(script.state());
        loop.runReady();
        assertThat(watcher.last().getSameServers()).isFalse();
        assertThat(watcher.whole().servers()).containsOnlyKeys(s1, s2);
        publish();
        assertThat(watcher.last().getSameServers()).isTrue();
        assertThat(watcher.whole().servers()).containsOnlyKeys(s1, s2);
    }

    @Test
    void aWatcherThatDoesNotAskForLessIsToldTheServersWithEachUpdate() {
        Fake watcher = join(0);
        split();
        publish();
        assertThat(watcher.updates).allMatch(update -> update.getServersCount() == 1 && !update.getSameServers());
    }

    /** Of a watcher that came back, this feed does not know what it was told of the servers. */
    @Test
    void theFirstUpdateOfAStreamTellsTheServers() {
        long version = script.state().mapVersion();
        split();
        Fake watcher = new Fake(WatchRequest.newBuilder()
                .setPieces(true)
                .setSameServers(true)
                .setVersion(version)
                .build());
        feed.join(watcher.watcher);
        loop.runReady();
        assertThat(watcher.last().getWhole()).isFalse();
        assertThat(watcher.last().getServersCount()).isEqualTo(1);
    }

    /** What was begun is brought to its end, and then what has changed meanwhile. */
    @Test
    void aChangeBetweenThePiecesComesAfterThem() {
        MasterState large = LargeMap.state(10_000);
        feed.changed(large);
        loop.runReady();
        Fake watcher = new Fake(0);
        watcher.takes = 1;
        feed.join(watcher.watcher);
        loop.runReady();
        assertThat(watcher.updates).hasSize(1);
        MasterState changed = LargeMap.changedEverywhere(large);
        feed.changed(changed);
        loop.runReady();
        watcher.takes = Integer.MAX_VALUE;
        feed.ready(watcher.watcher);
        loop.runReady();
        assertThat(watcher.map()).isEqualTo(List.copyOf(changed.rows().all()));
        List<Long> versions =
                watcher.updates.stream().map(MapUpdate::getVersion).distinct().toList();
        assertThat(versions).containsExactly(large.mapVersion(), changed.mapVersion());
    }

    @Test
    void whatIsNoChangeOfTheMapIsNotSent() {
        Fake watcher = join(0);
        script.apply(new AllocateTableIds(1));
        feed.changed(script.state());
        loop.runReady();
        assertThat(watcher.updates).hasSize(1);
    }

    @Test
    void aNewLeaderIsTold() {
        Fake watcher = join(0);
        masters = new KnownMasters("m2", 1, List.of("m1", "m2"));
        loop.advanceMillis(200);
        assertThat(watcher.last().getLeader()).isEqualTo("m2");
        assertThat(feed.current().leader()).isEqualTo("m2");
    }

    @Test
    void changedMastersAreTold() {
        Fake watcher = join(0);
        assertThat(watcher.last().getMasters().getAddressesList()).containsExactly("m1", "m2");
        masters = new KnownMasters("m1", 9, List.of("m1", "m3"));
        loop.advanceMillis(200);
        assertThat(watcher.last().getMasters().getAddressesList()).containsExactly("m1", "m3");
        assertThat(feed.current().masters()).isEqualTo(masters);
    }

    @Test
    void aMasterThatIsInNoGroupSendsWatchersElsewhere() {
        Fake before = join(0);
        masters = KnownMasters.NONE;
        loop.advanceMillis(200);
        assertThat(before.ended).isTrue();
        assertThat(join(0).ended).isTrue();
    }

    @Test
    void aMasterThatHasLeftItsGroupForgetsItsMap() {
        int[] told = {0};
        feed.onChange(() -> told[0]++);
        masters = KnownMasters.NONE;

        loop.advanceMillis(1_000);

        assertThat(feed.current()).isEqualTo(PartitionMap.EMPTY);
        assertThat(told[0]).isEqualTo(1);
    }

    /** As of a restored cluster, whose log begins anew. */
    @Test
    void theMapOfAnotherClusterIsTakenWhateverItsVersion() {
        for (int i = 0; i < 20; i++) {
            publish();
        }
        Fake before = join(0);
        Script other = Script.startedIn("another");
        assertThat(other.state().mapVersion()).isLessThan(script.state().mapVersion());

        feed.changed(other.state());
        loop.runReady();

        assertThat(before.ended).isTrue();
        assertThat(feed.current().cluster()).isEqualTo(other.state().cluster());
        assertThat(feed.current().version()).isEqualTo(other.state().mapVersion());
        assertThat(join(0).map()).isEqualTo(List.copyOf(other.state().rows().all()));
    }

    /** Its version says nothing here: it would wait forever, or get changes of what it does not have. */
    @Test
    void aWatcherOfAnotherClusterIsToldWhoseMapThisIs() {
        for (long version : new long[] {1, script.state().mapVersion(), script.index() + 100}) {
            Fake watcher = new Fake(WatchRequest.newBuilder()
                    .setVersion(version)
                    .setPieces(true)
                    .setCluster("another")
                    .build());
            feed.join(watcher.watcher);
            loop.runReady();
            publish();
            assertThat(watcher.updates)
                    .containsExactly(MapUpdate.newBuilder()
                            .setCluster(script.state().cluster())
                            .build());
        }
    }

    @Test
    void aWatcherIsToldWhoseMapItGets() {
        assertThat(script.state().cluster()).isNotEmpty();
        assertThat(join(0).last().getCluster()).isEqualTo(script.state().cluster());
        assertThat(feed.current().cluster()).isEqualTo(script.state().cluster());
    }

    @Test
    void whoLeftIsSentNothing() {
        Fake watcher = join(0);
        feed.leave(watcher.watcher);
        publish();
        assertThat(watcher.updates).hasSize(1);
    }

    @Test
    void atTheEndWatchersAreSentElsewhere() {
        Fake watcher = join(0);
        feed.stop();
        loop.runReady();
        assertThat(watcher.ended).isTrue();
    }

    @Test
    void theMastersOwnViewFollowsAndTellsItsListeners() {
        int[] told = {0};
        feed.onChange(() -> told[0]++);
        split();
        assertThat(told[0]).isEqualTo(1);
        assertThat(List.copyOf(feed.current().rows()))
                .isEqualTo(List.copyOf(script.state().rows().all()));
    }

    @Test
    void aMasterWithoutMapSaysSo() {
        MapFeed empty = new MapFeed(
                loop, new MasterMetrics(new CollectorRegistry()), () -> new KnownMasters("", 0, List.of("m1")));
        Fake watcher = new Fake(0);
        empty.join(watcher.watcher);
        loop.runReady();
        assertThat(watcher.last().getVersion()).isZero();
        assertThat(watcher.last().getRowsList()).isEmpty();
    }

    private Fake join(long version) {
        Fake fake = new Fake(version);
        feed.join(fake.watcher);
        loop.runReady();
        return fake;
    }

    private void publish() {
        Row row = script.rowAt(0);
        script.apply(new Publish(s1, row.id(), row.version(), "m/" + script.index()));
        feed.changed(script.state());
        loop.runReady();
    }

    private void split() {
        script.apply(Script.split(script.rowAt(0), List.of(3L), List.of(s1)));
        feed.changed(script.state());
        loop.runReady();
    }

    private static final class Fake implements StreamSink<MapUpdate> {
        private final MapFeed.Watcher watcher;
        private final List<MapUpdate> updates = new ArrayList<>();
        private boolean ready = true;
        private int takes = Integer.MAX_VALUE;
        private boolean ended;

        Fake(long version) {
            this(version, true);
        }

        Fake(long version, boolean pieces) {
            this(WatchRequest.newBuilder().setVersion(version).setPieces(pieces).build());
        }

        Fake(WatchRequest request) {
            watcher = new MapFeed.Watcher(request, this);
        }

        MapUpdate last() {
            return updates.get(updates.size() - 1);
        }

        List<Row> map() {
            return List.copyOf(whole().rows());
        }

        PartitionMap whole() {
            PartitionMap map = PartitionMap.EMPTY;
            MapAssembly assembly = new MapAssembly();
            for (MapUpdate update : updates) {
                map = assembly.add(map, update);
            }
            return map;
        }

        @Override
        public boolean isReady() {
            return ready && updates.size() < takes;
        }

        @Override
        public void send(MapUpdate update) {
            updates.add(update);
        }

        @Override
        public void end() {
            throw new AssertionError("the map has no end");
        }

        @Override
        public void fail(String why) {
            ended = true;
        }
    }
}
