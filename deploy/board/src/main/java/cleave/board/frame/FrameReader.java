package cleave.board.frame;

import cleave.board.frame.Axis.Table;
import cleave.board.frame.Parties.DfsPart;
import cleave.board.frame.Parties.FrontEnd;
import cleave.board.frame.Parties.Handoff;
import cleave.board.frame.Parties.Master;
import cleave.board.frame.Parties.Server;
import cleave.board.frame.Parties.Step;
import cleave.board.frame.Told.Event;
import cleave.board.frame.Told.Hot;
import cleave.board.frame.Told.HotKey;
import cleave.board.frame.Told.Note;
import cleave.board.frame.Told.Why;
import cleave.model.Damaged;
import cleave.model.UnknownFormat;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the lines of a recording, each with the axis of those before it. Unknown fields are ignored. Confined to its owner.
 *
 * <p>Throws Damaged for what is no such line, and {@link UnknownFormat} for a recording of a later version.
 */
public final class FrameReader {
    private Axis axis = Axis.NONE;
    private boolean hadAxis;

    /** The first line. */
    public static Header header(byte[] line) {
        JsonTree tree = JsonTree.parse(line);
        long version = tree.number("recording");
        if (version < 1) {
            throw new Damaged("its first line has no field \"recording\"");
        }
        if (version > Header.VERSION) {
            throw new UnknownFormat("a recording of version " + version, "recordings up to version " + Header.VERSION);
        }
        return new Header(
                tree.text("by"), tree.text("cluster"), tree.text("title"), tree.flag("hashed"), tree.number("period"));
    }

    /** One of the other lines. The first that is not stale has an axis. */
    public Frame frame(byte[] line) {
        JsonTree tree = JsonTree.parse(line);
        long n = tree.number("n");
        long t = tree.number("t");
        long span = tree.number("span");
        hadAxis = tree.has("axis");
        if (tree.has("stale")) {
            return Frame.stale(n, t, span, tree.text("stale"));
        }
        try {
            if (hadAxis) {
                axis = axis(tree.object("axis"));
            }
            return new Frame(
                    n,
                    t,
                    span,
                    "",
                    axis,
                    cells(tree.object("cells"), axis.buckets()),
                    parties(tree),
                    (int) tree.number("ranges"),
                    new Told(events(tree), hottest(tree), notes(tree)));
        } catch (IllegalArgumentException wrong) {
            throw new Damaged("frame " + n + ": " + wrong.getMessage(), wrong);
        }
    }

    /** Whether the frame read last could be read without those before it. */
    public boolean hadAxis() {
        return hadAxis;
    }

    private static Axis axis(JsonTree tree) {
        List<Table> tables = tree.objects("tables").stream()
                .map(table -> new Table(table.number("id"), table.text("name"), table.text("state")))
                .toList();
        List<Cut> cuts = new ArrayList<>();
        for (List<?> row : tree.rows("cuts")) {
            cuts.add(cut(row));
        }
        return new Axis(tree.number("id"), tables, cuts);
    }

    private static Cut cut(List<?> row) {
        return new Cut((long) JsonTree.numberAt(row, 0), JsonTree.textAt(row, 1));
    }

    private static @Nullable Cut cutOrNull(JsonTree tree, String name) {
        return tree.has(name) ? cut(tree.list(name)) : null;
    }

    private static Cells cells(JsonTree tree, int buckets) {
        Cells.Builder cells = new Cells.Builder(buckets);
        long[] ranges = numbers(tree, "range", buckets);
        long[] owners = numbers(tree, "owner", buckets);
        long[] states = numbers(tree, "state", buckets);
        for (int bucket = 0; bucket < buckets; bucket++) {
            cells.place(bucket, ranges[bucket], (int) owners[bucket], (int) states[bucket]);
        }
        for (Measure measure : Measure.values()) {
            long[] values = numbers(tree, measure.word(), buckets);
            for (int bucket = 0; bucket < buckets; bucket++) {
                cells.set(measure, bucket, values[bucket]);
            }
        }
        return cells.build();
    }

    private static long[] numbers(JsonTree tree, String name, int buckets) {
        long[] numbers = tree.numbers(name);
        if (numbers.length != buckets) {
            throw new Damaged("cells." + name + " has " + numbers.length + " numbers for " + buckets + " buckets");
        }
        return numbers;
    }

    private static Parties parties(JsonTree tree) {
        return new Parties(
                servers(tree),
                masters(tree),
                tree.text("leader"),
                tree.number("term"),
                frontEnds(tree),
                dfs(tree),
                handoffs(tree));
    }

    private static List<Server> servers(JsonTree tree) {
        return tree.objects("servers").stream()
                .map(server -> new Server(
                        server.text("id"),
                        server.number("number"),
                        server.text("address"),
                        server.text("admin"),
                        server.text("state"),
                        (int) server.number("ranges"),
                        server.number("entities"),
                        server.number("cpu"),
                        server.number("free", -1),
                        server.number("reserve"),
                        server.number("store"),
                        server.number("silent"),
                        server.number("clock")))
                .toList();
    }

    private static List<Master> masters(JsonTree tree) {
        return tree.objects("masters").stream()
                .map(master -> new Master(
                        master.text("id"), master.text("address"), master.text("role"), master.number("behind", -1)))
                .toList();
    }

    private static List<FrontEnd> frontEnds(JsonTree tree) {
        return tree.objects("frontEnds").stream()
                .map(frontEnd -> new FrontEnd(
                        frontEnd.text("id"),
                        frontEnd.text("admin"),
                        frontEnd.flag("up"),
                        frontEnd.real("rate"),
                        frontEnd.real("errors"),
                        frontEnd.number("p50"),
                        frontEnd.number("p99")))
                .toList();
    }

    private static List<DfsPart> dfs(JsonTree tree) {
        return tree.objects("dfs").stream()
                .map(part -> new DfsPart(
                        part.text("id"),
                        part.text("kind"),
                        part.flag("up"),
                        part.text("state"),
                        part.number("free", -1),
                        part.number("appended", -1)))
                .toList();
    }

    private static List<Handoff> handoffs(JsonTree tree) {
        return tree.objects("handoffs").stream()
                .map(handoff -> new Handoff(
                        handoff.text("id"),
                        handoff.text("kind"),
                        handoff.texts("ranges"),
                        handoff.text("from"),
                        handoff.texts("to"),
                        handoff.text("step"),
                        handoff.number("ms"),
                        handoff.text("asker"),
                        handoff.text("reason"),
                        steps(handoff)))
                .toList();
    }

    private static List<Step> steps(JsonTree handoff) {
        List<Step> steps = new ArrayList<>();
        for (List<?> row : handoff.rows("steps")) {
            steps.add(new Step(JsonTree.textAt(row, 0), (long) JsonTree.numberAt(row, 1)));
        }
        return steps;
    }

    private static List<Event> events(JsonTree tree) {
        return tree.objects("events").stream()
                .map(event -> new Event(
                        event.number("n"),
                        event.number("t"),
                        event.text("kind"),
                        event.texts("ranges"),
                        event.texts("servers"),
                        event.text("handoff"),
                        event.text("reason"),
                        figures(event),
                        event.texts("rejected")))
                .toList();
    }

    private static List<Figure> figures(JsonTree event) {
        List<Figure> figures = new ArrayList<>();
        for (List<?> row : event.rows("figures")) {
            figures.add(new Figure(
                    JsonTree.textAt(row, 0),
                    JsonTree.numberAt(row, 1),
                    JsonTree.textAt(row, 1),
                    JsonTree.textAt(row, 2)));
        }
        return figures;
    }

    private static List<Hot> hottest(JsonTree tree) {
        return tree.objects("hottest").stream()
                .map(hot -> new Hot(
                        hot.number("range"),
                        hot.number("table"),
                        cutOrNull(hot, "from"),
                        cutOrNull(hot, "to"),
                        hot.text("owner"),
                        hot.number("entities"),
                        hot.number("written"),
                        hot.number("read"),
                        hot.number("scanned"),
                        hot.number("cpu"),
                        hot.number("queue"),
                        hot.number("bytes"),
                        hot.text("window"),
                        hot.has("partition") ? partition(hot.object("partition")) : null,
                        hot.objects("why").stream()
                                .map(why -> new Why(why.text("of"), why.text("reason"), why.text("text")))
                                .toList()))
                .toList();
    }

    private static HotKey partition(JsonTree tree) {
        return new HotKey(cut(tree.list("key")), tree.real("part"));
    }

    private static List<Note> notes(JsonTree tree) {
        return tree.objects("notes").stream()
                .map(note -> new Note(
                        note.text("kind"),
                        note.number("range"),
                        note.text("text"),
                        note.text("lab"),
                        note.text("runbook")))
                .toList();
    }
}
