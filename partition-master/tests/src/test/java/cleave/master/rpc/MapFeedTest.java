package cleave.master.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.master.core.StreamSink;
import cleave.master.metrics.MasterMetrics;
import cleave.master.state.LargeMap;
import cleave.master.state.MasterCommand.AllocateTableIds;
import cleave.master.state.MasterCommand.Publish;
import cleave.master.state.MasterState;
import cleave.master.state.Script;
import cleave.model.Incarnation;
import cleave.model.Key;
import cleave.model.KnownMasters;
import cleave.model.MapAssembly;
import cleave.model.MapChange;
import cleave.model.PartitionMap;
import cleave.model.Row;
import cleave.runtime.loop.ManualLoop;
import cleave.transcripts.Command;
import cleave.transcripts.Transcripts;
import cleave.wire.FrontEndSeen;
import cleave.wire.MapUpdate;
import cleave.wire.WatchRequest;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

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
    void frontEndsAreKnownWhileTheyWatch() {
        Fake server = join(0);
        WatchRequest request = WatchRequest.newBuilder()
                .setFrontEnd("f1")
                .setAdmin("127.0.0.1:8")
                .build();
        Fake frontEnd = new Fake(request);
        Fake again = new Fake(request);
        feed.join(frontEnd.watcher);
        feed.join(again.watcher);
        loop.runReady();
        FrontEndSeen seen =
                FrontEndSeen.newBuilder().setId("f1").setAdmin("127.0.0.1:8").build();
        assertThat(feed.frontEnds()).containsExactly(seen);
        feed.leave(again.watcher);
        feed.leave(server.watcher);
        loop.runReady();
        assertThat(feed.frontEnds()).containsExactly(seen);
        feed.leave(frontEnd.watcher);
        loop.runReady();
        assertThat(feed.frontEnds()).isEmpty();
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

    /** The begun change is sent to its end, and then the later ones. */
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
        script.apply(Script.split(script.rowAt(0), List.of(Key.beforeTable(3)), List.of(s1)));
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

    @TestFactory
    Stream<DynamicNode> feeds() throws IOException {
        return Transcripts.of("feed", () -> new MapFeedTest().new Transcript());
    }

    /** Each command prints what watchers are sent. */
    private final class Transcript implements Transcripts.Interpreter {
        private final TreeMap<String, Fake> watchers = new TreeMap<>();
        private final TreeMap<String, Integer> seen = new TreeMap<>();
        private int changes;

        Transcript() {
            start();
            feed.onChange(() -> changes++);
        }

        @Override
        public List<String> run(Command command) {
            List<String> printed = new ArrayList<>();
            switch (command.word()) {
                case "join" -> {
                    long version = switch (command.named("knows", "nothing")) {
                        case "nothing" -> 0;
                        case "all" -> script.state().mapVersion();
                        default -> script.state().mapVersion() + Long.parseLong(command.named("knows", ""));
                    };
                    Fake fake = new Fake(WatchRequest.newBuilder()
                            .setVersion(version)
                            .setPieces(true)
                            .setSameServers(command.has("same-servers"))
                            .build());
                    watchers.put(command.at(0), fake);
                    feed.join(fake.watcher);
                }
                case "leave" -> feed.leave(watcher(command).watcher);
                case "is-slow" -> watcher(command).ready = false;
                case "is-ready" -> {
                    watcher(command).ready = true;
                    feed.ready(watcher(command).watcher);
                }
                case "publish" -> {
                    for (int i = 0; i < (command.plain().isEmpty() ? 1 : command.number(0)); i++) {
                        publish();
                    }
                }
                case "split" -> split();
                case "register" -> {
                    script.register(command.at(0));
                    feed.changed(script.state());
                }
                case "allocate" -> {
                    script.apply(new AllocateTableIds(1));
                    feed.changed(script.state());
                }
                case "other-cluster" -> feed.changed(Script.startedIn("another").state());
                case "masters" -> {
                    masters = command.plain().isEmpty()
                            ? KnownMasters.NONE
                            : new KnownMasters(
                                    command.at(0),
                                    command.number(1),
                                    command.plain().subList(2, command.plain().size()));
                    loop.advanceMillis(200);
                }
                case "stop" -> feed.stop();
                case "map-of" ->
                    printed.add(watcher(command)
                                    .map()
                                    .equals(List.copyOf(script.state().rows().all())) + ", servers "
                            + watcher(command).whole().servers().keySet());
                case "own-map" ->
                    printed.add("version " + feed.current().version() + " of cluster '"
                            + feed.current().cluster() + "', " + feed.current().masters() + ", changed " + changes
                            + " times");
                default -> throw command.unknown();
            }
            loop.runReady();
            watchers.forEach((name, each) -> {
                for (int i = seen.getOrDefault(name, 0); i < each.updates.size(); i++) {
                    printed.add(name + ": " + text(each.updates.get(i)));
                }
                seen.put(name, each.updates.size());
                if (each.ended && seen.put(name + " ended", 1) == null) {
                    printed.add(name + " is sent elsewhere");
                }
            });
            return printed;
        }

        private Fake watcher(Command command) {
            return Objects.requireNonNull(watchers.get(command.at(0)));
        }

        private static String text(MapUpdate update) {
            return (update.getWhole() ? "whole " : "changes ") + update.getVersion() + " of " + update.getCluster()
                    + ", "
                    + update.getRowsCount() + " rows, " + update.getRemovedCount() + " removed, "
                    + (update.getSameServers() ? "same servers" : update.getServersCount() + " servers") + ", leader "
                    + update.getLeader() + " of " + update.getMasters().getAddressesList();
        }
    }
}
