package cleave.master.core;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.master.servers.HeartbeatSink;
import cleave.master.servers.Session;
import cleave.master.state.MasterCommand;
import cleave.master.state.MasterCommand.Handoff;
import cleave.master.state.MasterCommand.Publish;
import cleave.master.state.MasterCommand.SourceRow;
import cleave.master.state.MasterCommand.TargetRow;
import cleave.model.FeatureLevels;
import cleave.model.Incarnation;
import cleave.model.Row;
import cleave.wire.HeartbeatReply;
import cleave.wire.HeartbeatRequest;
import cleave.wire.RangeGone;
import cleave.wire.RangeLoad;
import cleave.wire.RangeRow;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Which of its own ranges a server is ordered to open, held against all that it owns and has told. */
class OwnOpensPropertyTest {
    private final TreeMap<Long, Long> epochsTold = new TreeMap<>();
    private final Sink sink = new Sink();
    private Random random = new Random();

    private static final class Sink implements HeartbeatSink {
        private List<Long> open = List.of();

        @Override
        public void send(HeartbeatReply reply) {
            open = reply.getOpenList().stream().map(RangeRow::getId).toList();
        }

        @Override
        public void close() {}
    }

    @Property(tries = 60)
    void theyAreAllThatItOwnsAndDoesNotServeUnderTheirEpochs(@ForAll long seed) {
        random = new Random(seed);
        Bench bench = new Bench();
        Bench.Master master = bench.leader("m1");
        FakeServer server = bench.server("a", master);
        bench.pass(1_000);
        bench.obey(server);
        bench.splitAt(1, "b", "d", "f", "h");
        bench.silence(server);
        Incarnation owner = server.incarnation();
        Session session = master.loop().heartbeats().open(sink);
        epochsTold.clear();
        boolean whole = true;
        for (int i = 0; i < 60; i++) {
            change(bench, owner);
            if (random.nextInt(10) == 0) {
                session = master.loop().heartbeats().open(sink);
                whole = true;
            }
            HeartbeatRequest heartbeat = heartbeat(bench, owner, whole);
            master.loop().heartbeats().heard(session, heartbeat);
            bench.time.advanceMillis(100);
            assertThat(sink.open).as("seed %s", seed).isEqualTo(unserved(bench, owner));
            whole = random.nextInt(8) == 0;
        }
    }

    /** A publish, a handoff in place (which changes the epoch alone), or a split; mostly nothing. */
    private void change(Bench bench, Incarnation owner) {
        Row row = any(bench);
        int kind = random.nextInt(6);
        if (kind == 0) {
            apply(bench, new Publish(owner, row.id(), row.version(), manifest(bench)));
        } else if (kind == 1) {
            List<SourceRow> sources = List.of(new SourceRow(row.id(), row.version(), true));
            apply(bench, new Handoff(owner, sources, List.of(new TargetRow(row.range(), owner, manifest(bench)))));
        } else if (kind == 2) {
            bench.splitAt(2 + bench.log.commands().size(), "m");
        }
    }

    private static void apply(Bench bench, MasterCommand command) {
        assertThat(bench.log.apply(command).isOk()).isTrue();
    }

    private static String manifest(Bench bench) {
        return "m/" + bench.log.commands().size();
    }

    private Row any(Bench bench) {
        List<Row> rows = new ArrayList<>(bench.log.state().rows().all());
        return rows.get(random.nextInt(rows.size()));
    }

    /** Tells of some ranges, under their epochs or older ones, and of some that they are gone. */
    private HeartbeatRequest heartbeat(Bench bench, Incarnation owner, boolean whole) {
        HeartbeatRequest.Builder heartbeat = HeartbeatRequest.newBuilder()
                .setIncarnation(owner.toWire())
                .setLevels(FeatureLevels.SUPPORTED.toWire())
                .setDfs(FakeFiles.DFS)
                .setWhole(whole);
        if (whole) {
            epochsTold.clear();
        }
        Row gone = any(bench);
        if (random.nextInt(4) == 0) {
            heartbeat.addGone(RangeGone.newBuilder().setRange(gone.id()).setEpoch(gone.epoch()));
            epochsTold.remove(gone.id());
        }
        for (int i = 0; i < random.nextInt(4); i++) {
            Row row = any(bench);
            long epoch = random.nextInt(4) == 0 ? row.epoch() - 1 : row.epoch();
            heartbeat.addRanges(RangeLoad.newBuilder().setRange(row.id()).setEpoch(epoch));
            epochsTold.put(row.id(), epoch);
        }
        return heartbeat.build();
    }

    private List<Long> unserved(Bench bench, Incarnation owner) {
        List<Long> unserved = new ArrayList<>();
        for (long range : bench.log.state().rows().ownedBy(owner)) {
            Row row = bench.log.state().rows().row(range);
            if (row != null && epochsTold.getOrDefault(range, 0L) != row.epoch()) {
                unserved.add(range);
            }
        }
        return unserved;
    }
}
