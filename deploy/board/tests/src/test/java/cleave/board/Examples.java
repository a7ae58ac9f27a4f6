package cleave.board;

import cleave.board.frame.Axis;
import cleave.board.frame.Axis.Table;
import cleave.board.frame.Cells;
import cleave.board.frame.Cut;
import cleave.board.frame.Figure;
import cleave.board.frame.Frame;
import cleave.board.frame.Header;
import cleave.board.frame.Measure;
import cleave.board.frame.Parties;
import cleave.board.frame.Parties.DfsPart;
import cleave.board.frame.Parties.FrontEnd;
import cleave.board.frame.Parties.Handoff;
import cleave.board.frame.Parties.Master;
import cleave.board.frame.Parties.Server;
import cleave.board.frame.Parties.Step;
import cleave.board.frame.Told;
import cleave.board.frame.Told.Event;
import cleave.board.frame.Told.Hot;
import cleave.board.frame.Told.HotKey;
import cleave.board.frame.Told.Note;
import cleave.board.frame.Told.Why;
import java.util.List;
import java.util.stream.Stream;

/** Frames for tests. */
public final class Examples {
    public static final String CLUSTER = "11111111-2222-3333-4444-555555555555";
    public static final Header HEADER = new Header("cleave test", CLUSTER, "", false, 1000);
    private static final List<Table> TABLES =
            List.of(new Table(0, "the registry of tables", "system"), new Table(3, "devstoreaccount1/cities", ""));

    private Examples() {}

    /** Cuts of table 3 at these partitions. */
    public static Axis axis(long id, String... keys) {
        return new Axis(id, TABLES, Stream.of(keys).map(key -> new Cut(3, key)).toList());
    }

    /** A frame of a second, with these rates in the buckets, all of range 4096. */
    public static Frame frame(long n, Axis axis, int... entities) {
        Cells.Builder cells = new Cells.Builder(axis.buckets());
        for (int bucket = 0; bucket < entities.length; bucket++) {
            cells.place(bucket, 4096, 0, 0).set(Measure.ENTITIES, bucket, entities[bucket]);
        }
        return new Frame(n, n * 1000, 1000, "", axis, cells.build(), Parties.NONE, 1, Told.NOTHING);
    }

    /** A frame in which nothing is left out. */
    public static Frame full(long n) {
        Axis axis = axis(5, "", "AB", "C\u202ED<script>");
        Cells.Builder cells = new Cells.Builder(4);
        for (int bucket = 0; bucket < 4; bucket++) {
            cells.place(bucket, bucket < 2 ? 4096 : 0, bucket - 2, bucket);
            for (Measure measure : Measure.values()) {
                cells.set(measure, bucket, 1000L * measure.word().length() + bucket);
            }
            cells.set(Measure.ENTITIES, bucket, bucket);
        }
        cells.set(Measure.BYTES, 3, 5_000_000_000L);
        Parties parties = new Parties(
                List.of(new Server("s1", 4, "127.0.0.1:1", "127.0.0.1:2", "live", 5, 900, 350, 123, 100, 77, 120, -3)),
                List.of(new Master("m1", "127.0.0.1:3", "LEADER", 0)),
                "m1",
                3,
                List.of(new FrontEnd("fe1", "127.0.0.1:4", true, 1200.5, 0.25, 3100, 12000)),
                List.of(new DfsPart("dfs-1", "node", true, "not ready", 99, 1000)),
                List.of(new Handoff(
                        "3.17",
                        "split",
                        List.of("1.0"),
                        "s1",
                        List.of("s1", "s2"),
                        "catch up",
                        320,
                        "balancer",
                        "hot",
                        List.of(new Step("prepare", 80)))));
        Told told = new Told(
                List.of(new Event(
                        7,
                        n * 1000,
                        "handoff-ended",
                        List.of("1.0"),
                        List.of("s1"),
                        "3.17",
                        "done",
                        List.of(
                                new Figure("entities-per-second", 2400.125, "", "entities/s"),
                                new Figure("at", 0, "3/AB", "")),
                        List.of("a move"))),
                List.of(new Hot(
                        4096,
                        3,
                        null,
                        new Cut(3, "AB"),
                        "s1",
                        900,
                        400,
                        500,
                        600,
                        350,
                        120,
                        5000,
                        "about a second",
                        new HotKey(new Cut(3, "AB12"), 0.71),
                        List.of(new Why("split", "one-partition", "One partition has 71 % of the load.")))),
                List.of(new Note("one-partition", 4096, "A sentence.", "hot-partition", "cleaveserverbusy")));
        return new Frame(n, n * 1000, 1000, "", axis, cells.build(), parties, 1234, told);
    }
}
