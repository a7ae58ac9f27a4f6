package cleave.route.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.model.Key;
import cleave.model.PartitionMap;
import cleave.runtime.loop.Await;
import cleave.runtime.loop.ManualLoop;
import cleave.runtime.loop.ThreadLoop;
import cleave.runtime.rpc.Channels;
import cleave.runtime.rpc.RpcServer;
import cleave.runtime.rpc.TestPorts;
import cleave.wire.MapUpdate;
import cleave.wire.MasterList;
import cleave.wire.RangeRow;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
final class MapWatcherIT {
    private final Channels channels = new Channels();
    private final CompletableFuture<Throwable> fault = new CompletableFuture<>();
    private final ThreadLoop loop = new ThreadLoop("map-watcher-it", fault::complete);
    private final FakeMapWatch one = new FakeMapWatch();
    private final FakeMapWatch two = new FakeMapWatch();
    /** Messages between processes of one JVM are delivered at once, and time passes only when the test says so. */
    private final ManualLoop manual = new ManualLoop();

    @AfterEach
    void close() {
        loop.close();
        channels.close();
        assertThat(fault).isNotDone();
    }

    private MapWatcher watcher(String... seeds) {
        MapWatcher watcher = new MapWatcher(loop, channels, List.of(seeds), new Random(1));
        watcher.start();
        return watcher;
    }

    private MapWatcher manualWatcher(String cluster, String... seeds) {
        MapWatcher watcher = new MapWatcher(manual, channels, List.of(seeds), new Random(1));
        watcher.start(cluster);
        manual.runReady();
        return watcher;
    }

    private static void await(MapWatcher watcher, Predicate<PartitionMap> wanted) {
        Await.until("the map", () -> wanted.test(watcher.current()));
    }

    @Test
    void mapIsFollowedFromASeed() throws Exception {
        try (RpcServer seed = RpcServer.start("127.0.0.1:0", one);
                MapWatcher watcher = watcher(seed.address())) {
            FakeMapWatch.Watch watch = one.next();
            assertThat(watch.version()).isZero();
            watch.updates().onNext(FakeMapWatch.map(3));
            watch.updates().onNext(FakeMapWatch.map(4));
            await(watcher, map -> map.version() == 4 && map.lookup(Key.MIN) != null);
        }
    }

    /** Runs on a manual clock: messages from the network are awaited, and time passes only when the test says so. */
    @Test
    void mapIsUnconfirmedUntilASeedTellsItAndAgainWhenThatStreamHasEnded() throws Exception {
        long ten = TimeUnit.SECONDS.toNanos(10);
        long almost = ten - TimeUnit.SECONDS.toNanos(1);
        try (RpcServer seed = RpcServer.start("127.0.0.1:0", one);
                MapWatcher watcher = manualWatcher("", seed.address())) {
            FakeMapWatch.Watch watch = one.next();
            manual.advance(ten);
            assertThat(watcher.unconfirmedNanos()).isGreaterThan(almost);
            assertThat(watcher.silenceNanos()).isLessThan(almost); // It is connected, yet it has received nothing.

            watch.updates().onNext(FakeMapWatch.map(3));
            Await.until("version 3", () -> {
                manual.runReady();
                return watcher.current().version() == 3;
            });
            manual.advance(ten);
            assertThat(watcher.unconfirmedNanos()).isLessThan(almost);

            watch.updates().onCompleted();
            Await.until("the next watch", () -> {
                manual.advanceMillis(10);
                return one.waiting() > 0;
            });
            manual.advance(ten);
            assertThat(watcher.unconfirmedNanos()).isGreaterThan(almost);
        }
    }

    @Test
    void watcherResumesFromItsVersionWhenTheSeedComesBack() throws Exception {
        RpcServer seed = RpcServer.start("127.0.0.1:" + TestPorts.free(), one);
        try (MapWatcher watcher = watcher(seed.address())) {
            one.next().updates().onNext(FakeMapWatch.map(3));
            await(watcher, map -> map.version() == 3);
            seed.close(Duration.ZERO);
            try (RpcServer again = RpcServer.start(seed.address(), one)) {
                assertThat(again.address()).isEqualTo(seed.address());
                FakeMapWatch.Watch watch = one.next();
                assertThat(watch.version()).isEqualTo(3);
                watch.updates().onNext(FakeMapWatch.map(5));
                await(watcher, map -> map.version() == 5);
            }
        }
    }

    @Test
    void deadSeedsArePassedOver() throws Exception {
        try (RpcServer seed = RpcServer.start("127.0.0.1:0", one);
                MapWatcher watcher = watcher("127.0.0.1:1", "inproc:nobody", seed.address())) {
            one.next().updates().onNext(FakeMapWatch.map(3));
            await(watcher, map -> map.version() == 3);
        }
    }

    @Test
    void streamThatEndsIsOpenedAgain() throws Exception {
        try (RpcServer seed = RpcServer.start("inproc:watch-ends", one);
                MapWatcher watcher = watcher(seed.address())) {
            one.next().updates().onCompleted();
            one.next().updates().onError(new IllegalStateException("odd"));
            one.next().updates().onNext(FakeMapWatch.map(3));
            await(watcher, map -> map.version() == 3);
        }
    }

    @Test
    void seedThatSendsNonsenseIsLeftAndHurtsNobody() throws Exception {
        try (RpcServer seed = RpcServer.start("inproc:watch-nonsense", one);
                MapWatcher watcher = watcher(seed.address())) {
            RangeRow dividing = RangeRow.newBuilder()
                    .setVersion(9)
                    .setStart(Key.of(1, "p", "r").toWire())
                    .build();
            one.next()
                    .updates()
                    .onNext(MapUpdate.newBuilder()
                            .setVersion(9)
                            .addRows(dividing)
                            .build());
            one.next().updates().onNext(FakeMapWatch.map(3));
            await(watcher, map -> map.version() == 3);
        }
    }

    @Test
    void streamThatBreaksBetweenPiecesHasBroughtNothingAndIsBegunAnew() throws Exception {
        try (RpcServer seed = RpcServer.start("inproc:watch-pieces", one);
                MapWatcher watcher = watcher(seed.address())) {
            FakeMapWatch.Watch watch = one.next();
            assertThat(watch.pieces()).isTrue();
            watch.updates().onNext(FakeMapWatch.lowerHalf(3));
            watch.updates().onError(new IllegalStateException("cut off"));
            FakeMapWatch.Watch again = one.next();
            assertThat(again.version()).isZero();
            assertThat(watcher.current()).isSameAs(PartitionMap.EMPTY);
            again.updates().onNext(FakeMapWatch.lowerHalf(3));
            again.updates().onNext(FakeMapWatch.upperHalf(3));
            await(watcher, map -> map.version() == 3);
            assertThat(watcher.current().rows()).hasSize(2);
        }
    }

    /** It says something all the time, so it is not the one to be left. */
    @Test
    void streamInTheMidstOfALargeMapIsNotLeftWhileAnotherBringsNews() throws Exception {
        FakeMapWatch three = new FakeMapWatch();
        try (RpcServer first = RpcServer.start("inproc:watch-large", one);
                RpcServer second = RpcServer.start("inproc:watch-quick", two);
                RpcServer third = RpcServer.start("inproc:watch-spare", three)) {
            MapWatcher watcher = manualWatcher("", first.address(), second.address(), third.address());
            FakeMapWatch.Watch large = one.next();
            two.next().updates().onNext(FakeMapWatch.map(7));
            for (int round = 0; round < 5; round++) {
                large.updates().onNext(FakeMapWatch.lowerHalf(9));
                manual.advanceMillis(1_000);
            }
            assertThat(three.waiting()).isZero();
            large.updates().onNext(FakeMapWatch.upperHalf(9));
            manual.runReady();
            assertThat(watcher.current().version()).isEqualTo(9);
        }
    }

    @Test
    void leaderIsLearntWithoutANewVersion() throws Exception {
        try (RpcServer seed = RpcServer.start("inproc:watch-leader", one);
                MapWatcher watcher = watcher(seed.address())) {
            FakeMapWatch.Watch watch = one.next();
            watch.updates().onNext(FakeMapWatch.map(3));
            watch.updates()
                    .onNext(MapUpdate.newBuilder()
                            .setVersion(3)
                            .setLeader("m:1")
                            .build());
            await(watcher, map -> map.leader().equals("m:1") && map.version() == 3);
        }
    }

    @Test
    void masterThatTheMapTellsOfBecomesASeed() throws Exception {
        RpcServer seed = RpcServer.start("inproc:watch-configured", one);
        try (RpcServer other = RpcServer.start("inproc:watch-learnt", two);
                MapWatcher watcher = watcher(seed.address())) {
            one.next()
                    .updates()
                    .onNext(FakeMapWatch.map(3).toBuilder()
                            .setMasters(MasterList.newBuilder().setVersion(1).addAddresses(other.address()))
                            .build());
            FakeMapWatch.Watch learnt = two.next();
            seed.close(Duration.ZERO);
            learnt.updates().onNext(FakeMapWatch.map(4));
            await(watcher, map -> map.version() == 4);
        }
    }

    @Test
    void seedThatTellsOfMastersWithoutAddressesIsLeft() throws Exception {
        try (RpcServer seed = RpcServer.start("inproc:watch-odd-masters", one);
                MapWatcher watcher = watcher(seed.address())) {
            one.next()
                    .updates()
                    .onNext(FakeMapWatch.map(9).toBuilder()
                            .setMasters(MasterList.newBuilder().setVersion(1).addAddresses("nowhere"))
                            .build());
            one.next().updates().onNext(FakeMapWatch.map(3));
            await(watcher, map -> map.version() == 3);
        }
    }

    /** A paused master keeps its connections and says nothing. */
    @Test
    void silentSeedIsLeftForTheNextOnceAnotherBringsNews() throws Exception {
        FakeMapWatch three = new FakeMapWatch();
        try (RpcServer first = RpcServer.start("inproc:watch-first", one);
                RpcServer second = RpcServer.start("inproc:watch-second", two);
                RpcServer third = RpcServer.start("inproc:watch-third", three)) {
            MapWatcher watcher = manualWatcher("", first.address(), second.address(), third.address());
            one.next();
            FakeMapWatch.Watch talking = two.next();
            assertThat(three.waiting()).isZero();
            talking.updates().onNext(FakeMapWatch.map(7));
            assertThat(manual.advanceUntil(
                            () -> three.waiting() > 0, Duration.ofSeconds(30).toNanos()))
                    .isTrue();
            assertThat(watcher.current().version()).isEqualTo(7);
            FakeMapWatch.Watch next = three.next();
            assertThat(next.version()).isEqualTo(7);
            next.updates().onNext(FakeMapWatch.map(8));
            manual.runReady();
            assertThat(watcher.current().version()).isEqualTo(8);
        }
    }

    /** This happens after a restore under the same names: the known map stays, and the cluster of the other one is reported. */
    @Test
    void mapOfAnotherClusterIsRefusedUntilTheOwnIsBack() throws Exception {
        try (RpcServer seed = RpcServer.start("inproc:watch-clusters", one)) {
            MapWatcher watcher = manualWatcher("", seed.address());
            FakeMapWatch.Watch first = one.next();
            assertThat(first.cluster()).isEmpty();
            first.updates().onNext(FakeMapWatch.map(3, "a"));
            manual.runReady();
            assertThat(watcher.current().cluster()).isEqualTo("a");
            first.updates().onNext(FakeMapWatch.map(9, "b"));
            manual.runReady();
            assertThat(watcher.current().version()).isEqualTo(3);
            assertThat(watcher.refusal())
                    .isEqualTo(seed.address() + " is of cluster b, but this process follows the map of cluster a");
            manual.advanceMillis(1_000);
            FakeMapWatch.Watch again = one.next();
            assertThat(again.cluster()).isEqualTo("a");
            assertThat(again.version()).isEqualTo(3);
            again.updates().onNext(FakeMapWatch.map(4, "a"));
            manual.runReady();
            assertThat(watcher.current().version()).isEqualTo(4);
            assertThat(watcher.refusal()).isEmpty();
        }
    }

    /** One wrong address among right ones costs nothing but a line in the log. */
    @Test
    void seedOfAnotherClusterDoesNoHarmBesideOneOfTheOwn() throws Exception {
        try (RpcServer own = RpcServer.start("inproc:watch-own", one);
                RpcServer other = RpcServer.start("inproc:watch-other", two)) {
            MapWatcher watcher = manualWatcher("a", own.address(), other.address());
            FakeMapWatch.Watch right = one.next();
            FakeMapWatch.Watch wrong = two.next();
            assertThat(wrong.cluster()).isEqualTo("a");
            right.updates().onNext(FakeMapWatch.map(3, "a"));
            wrong.updates().onNext(MapUpdate.newBuilder().setCluster("b").build());
            manual.runReady();
            assertThat(watcher.current().version()).isEqualTo(3);
            assertThat(watcher.refusal()).isEmpty();
        }
    }

    @Test
    void mapOfAnotherClusterThanTheWantedOneIsNotEvenTheFirst() throws Exception {
        try (RpcServer seed = RpcServer.start("inproc:watch-unwanted", one)) {
            MapWatcher watcher = manualWatcher("a", seed.address());
            one.next().updates().onNext(FakeMapWatch.map(3, "b"));
            manual.runReady();
            assertThat(watcher.current().version()).isZero();
            assertThat(watcher.refusal()).contains("cluster b", "cluster a");
        }
    }

    @Test
    void seedsThatAreNoneAreRefused() {
        assertThatThrownBy(() -> new MapWatcher(loop, channels, List.of(), new Random(1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new MapWatcher(loop, channels, List.of("x"), new Random(1)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
