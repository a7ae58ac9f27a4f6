package cleave.chaos.sim.stories;

import cleave.chaos.sim.dfs.SimDfs;
import cleave.chaos.sim.raft.SimRaft;
import cleave.chaos.sim.world.Message;
import cleave.chaos.sim.world.World;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** A scripted run as a message sequence diagram, one column for each participant, with the sentences of the script. */
public final class Timeline {
    private static final int COLUMN = 7;
    private static final String NO_TIME = " ".repeat(13);
    private static final Set<String> CHATTER = Set.of("Heartbeat", "Watch", "NoOp", "read", "stat", "list");

    private final World world;
    private final List<Entry> entries = new ArrayList<>();
    private boolean recording;

    /**
     * An arrow, or a sentence if it has no ends. Immutable.
     *
     * @param nanos virtual ones, since the cluster began
     */
    public record Entry(long nanos, String from, String to, Head head, boolean isAnswer, String text) {
        public boolean isArrow() {
            return !from.isEmpty();
        }

        private Entry saying(String other) {
            return new Entry(nanos, from, to, head, isAnswer, other);
        }

        private boolean looksLike(Entry other) {
            return isArrow()
                    && from.equals(other.from)
                    && to.equals(other.to)
                    && head == other.head
                    && text.equals(other.text);
        }
    }

    /** What became of a message. */
    public enum Head {
        ARRIVES('-'),
        HELD('x'),
        LOST('/');

        private final char sign;

        Head(char sign) {
            this.sign = sign;
        }
    }

    Timeline(World world) {
        this.world = world;
    }

    /** Begins or ends recording events for the story. */
    void record(boolean whether) {
        recording = whether;
        world.scene(whether);
    }

    void says(String sentence) {
        world.said(shortened(sentence));
        entries.add(new Entry(world.now(), "", "", Head.ARRIVES, false, shortened(sentence)));
    }

    void arrives(Message message) {
        if (matters(message)) {
            add(message, Head.ARRIVES, "");
        }
    }

    void held(Message message) {
        add(message, Head.HELD, " is held back");
    }

    void released(Message message) {
        add(message, Head.ARRIVES, ", released");
    }

    void lost(Message message) {
        add(message, Head.LOST, " is lost");
        world.lost(world.now(), () -> message);
    }

    private void add(Message message, Head head, String more) {
        if (recording) {
            entries.add(new Entry(
                    world.now(), message.from(), message.to(), head, message.isAnswer(), text(message) + more));
        }
    }

    /** Heartbeats, map updates, and reads and descriptions of files would hide what matters. */
    public static boolean matters(Message message) {
        boolean isChatter = CHATTER.contains(message.what()) || message.what().equals("sync");
        boolean isOtherFile =
                message.about().startsWith("ranges/") && !message.about().contains("-log-");
        boolean isWithinLog = message.isAnswer() && message.from().equals(SimRaft.NODE);
        return !isChatter && !isOtherFile && !isWithinLog;
    }

    public static String text(Message message) {
        String about = shortened(message.about());
        return (message.isAnswer() ? "answer: " : "") + message.what() + (about.isEmpty() ? "" : " " + about);
    }

    /** Shortens paths to creator, kind and number. */
    private static String shortened(String text) {
        return text.replaceAll("ranges/[^/]*/\\d+-", "");
    }

    /** The whole story so far. */
    public List<String> lines() {
        Map<String, Integer> columns = columns();
        List<String> lines = new ArrayList<>();
        lines.add(header(columns));
        drawn().forEach(entry -> write(entry, columns, lines));
        lines.replaceAll(String::stripTrailing);
        return lines;
    }

    /** The same for other forms: the participants, ordered so that most arrows are short, and what happened. */
    public Diagram diagram() {
        return new Diagram(participants(), drawn());
    }

    /** A story as a diagram. Immutable. */
    public record Diagram(List<String> participants, List<Entry> entries) {
        public Diagram {
            participants = List.copyOf(participants);
            entries = List.copyOf(entries);
        }
    }

    /** All entries, of those that were repeated one. */
    private List<Entry> drawn() {
        List<Entry> drawn = new ArrayList<>();
        for (int i = 0; i < entries.size(); ) {
            int length = isRepeated(i, 1) || !isRepeated(i, 2) ? 1 : 2;
            int times = 1;
            while (isSame(i, i + times * length, length)) {
                times++;
            }
            for (Entry entry : entries.subList(i, i + length)) {
                drawn.add(times > 1 ? entry.saying(entry.text() + " (" + times + " times)") : entry);
            }
            i += length * times;
        }
        return drawn;
    }

    private boolean isRepeated(int at, int length) {
        return isSame(at, at + length, length);
    }

    /** True if this many arrows are the same at two places: retries, which need only one line. */
    private boolean isSame(int one, int other, int length) {
        boolean same = other + length <= entries.size();
        for (int i = 0; same && i < length; i++) {
            same = entries.get(one + i).looksLike(entries.get(other + i));
        }
        return same;
    }

    private static void write(Entry entry, Map<String, Integer> columns, List<String> lines) {
        String time = String.format(Locale.ROOT, "%9.3f s  ", entry.nanos() / 1e9);
        if (entry.isArrow()) {
            lines.add(time + arrow(entry, columns) + "  " + entry.text());
        } else {
            lines.add(NO_TIME + lifelines(columns));
            lines.add(time + entry.text());
        }
    }

    private Map<String, Integer> columns() {
        Map<String, Integer> columns = new TreeMap<>();
        participants().forEach(name -> columns.put(name, columns.size() * COLUMN + 2));
        return columns;
    }

    private List<String> participants() {
        TreeSet<String> names = new TreeSet<>((one, other) -> {
            int byRole = Integer.compare(role(one), role(other));
            return byRole != 0 ? byRole : one.compareTo(other);
        });
        for (Entry entry : entries) {
            if (entry.isArrow()) {
                names.add(entry.from());
                names.add(entry.to());
            }
        }
        return List.copyOf(names);
    }

    private static int role(String name) {
        return switch (name) {
            case Stage.OPERATOR -> 0;
            case SimRaft.NODE -> 3;
            case SimDfs.NODE -> 6;
            case "disk" -> 7;
            default ->
                switch (name.charAt(0)) {
                    case 'c' -> 1;
                    case 'f' -> 2;
                    case 'm' -> 4;
                    default -> 5;
                };
        };
    }

    private static String header(Map<String, Integer> columns) {
        char[] line = blank(columns);
        columns.forEach((name, at) -> {
            for (int i = 0; i < name.length() && at - 1 + i < line.length; i++) {
                line[Math.max(0, at - name.length() / 2) + i] = name.charAt(i);
            }
        });
        return NO_TIME + new String(line);
    }

    private static char[] blank(Map<String, Integer> columns) {
        return " ".repeat(columns.size() * COLUMN + 4).toCharArray();
    }

    private static String lifelines(Map<String, Integer> columns) {
        char[] line = blank(columns);
        columns.values().forEach(at -> line[at] = '|');
        return new String(line);
    }

    private static String arrow(Entry entry, Map<String, Integer> columns) {
        char[] line = lifelines(columns).toCharArray();
        int from = columns.getOrDefault(entry.from(), 0);
        int to = columns.getOrDefault(entry.to(), 0);
        int step = Integer.signum(to - from);
        for (int at = from + step; at != to; at += step) {
            line[at] = line[at] == '|' ? '+' : '-';
        }
        int tip = entry.head() == Head.ARRIVES ? to - step : (from + to) / 2;
        line[tip] = entry.head() == Head.ARRIVES ? (step > 0 ? '>' : '<') : entry.head().sign;
        for (int at = tip + step; entry.head() != Head.ARRIVES && at != to; at += step) {
            line[at] = line[at] == '+' ? '|' : ' ';
        }
        return new String(line);
    }
}
