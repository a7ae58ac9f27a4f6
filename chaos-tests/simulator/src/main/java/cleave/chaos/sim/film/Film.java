package cleave.chaos.sim.film;

import cleave.chaos.history.Operation;
import cleave.chaos.sim.cluster.SimCluster;
import cleave.chaos.sim.cluster.SimWorkload;
import cleave.chaos.sim.dfs.SimDfs;
import cleave.chaos.sim.faults.Faults;
import cleave.chaos.sim.world.Camera;
import cleave.chaos.sim.world.Finding;
import cleave.chaos.sim.world.Message;
import cleave.chaos.sim.world.Node;
import cleave.master.state.MasterState;
import cleave.model.Incarnation;
import cleave.server.range.Belief;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * One run, recorded: processes, messages, the map, what each server believes of its ranges, logs, operations and violations. It is
 * written as a page ({@link FilmPage}) or for other tools. It only looks, so a run with a film is the same as one without. Confined to
 * the simulation.
 */
public final class Film implements Camera {
    private static final long LOOK_NANOS = 1_000_000;
    /** To look at a log may be to read all of it. */
    private static final long LOG_LOOK_NANOS = 5_000_000;

    private static final long BEFORE_NANOS = 2_000_000_000;
    /** Heartbeats and the syncs of a disk would hide what matters. */
    private static final Set<String> CHATTER = Set.of("Heartbeat", "NoOp", "sync");

    /** Machines, clients and the DFS; not the judges that check when all is over. */
    private static final Pattern PARTICIPANT = Pattern.compile("[dfms]\\d+(\\.\\d+)?|c\\d{1,2}|" + SimDfs.NODE);

    private final String title;
    private final SimCluster cluster;
    private final SimWorkload workload;
    private final List<Sent> messages = new ArrayList<>();
    /** Messages that a script was shown, and that have not arrived. */
    private final List<Flight> shown = new ArrayList<>();

    private final Set<Flight> lost = new HashSet<>();
    private final List<Event> nodes = new ArrayList<>();
    private final List<Event> faults = new ArrayList<>();
    private final List<Event> leaders = new ArrayList<>();
    private final List<Event> findings = new ArrayList<>();
    private final List<Event> sentences = new ArrayList<>();
    private final List<Block> blocks = new ArrayList<>();
    private final List<Seen<MasterState>> maps = new ArrayList<>();
    private final Map<String, List<Seen<List<Belief>>>> beliefs = new TreeMap<>();
    private final Map<String, List<Seen<LogEnd>>> logs = new LinkedHashMap<>();
    private final Set<String> up = new TreeSet<>();
    private final Map<String, Long> pausedUntil = new TreeMap<>();
    /** Which process is, or was, an incarnation. */
    private final Map<Incarnation, String> processes = new HashMap<>();

    private long nextLook;
    private long nextLookAtLogs;
    private long begin;
    private long end;
    private boolean isOver;

    private record Flight(long sentNanos, Message message) {}

    /** What became of a message. */
    enum Fate {
        ARRIVED("ok"),
        LOST("lost"),
        /** A script held it to the end. */
        HELD("held");

        private final String text;

        Fate(String text) {
            this.text = text;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    /** A message and its fate, by {@code nanos}. */
    record Sent(long sentNanos, long nanos, Message message, Fate fate) {
        String from() {
            return place(message.from());
        }

        String to() {
            return place(message.to());
        }

        /** Disks are shown at the DFS. */
        private static String place(String node) {
            return node.equals("disk") ? SimDfs.NODE : node;
        }
    }

    /** @param subject a process, or who found a violation; may be empty */
    record Event(long nanos, String subject, String text) {}

    /** How something looked from this moment on. */
    record Seen<T>(long nanos, T what) {}

    record Block(long nanos, String from, String to, boolean isBlocked) {}

    /** @param bytes that are durable; -1 if it was deleted */
    record LogEnd(long bytes, boolean isSealed) {}

    public Film(String title, SimCluster cluster, SimWorkload workload) {
        this.title = title;
        this.cluster = cluster;
        this.workload = workload;
    }

    /**
     * Where it begins to play, in virtual nanoseconds: a story at its beginning, a run shortly before what went wrong. A history is judged
     * at the end, but went wrong by the last of the operations that fit no order together.
     */
    long startNanos() {
        if (isStory() || findings.isEmpty()) {
            return begin;
        }
        long wrong = wrong().stream()
                .mapToLong(operation -> operation.call().invoked())
                .max()
                .orElse(findings.get(0).nanos());
        return Math.max(begin, wrong - BEFORE_NANOS);
    }

    /** The operations that a violation names. */
    List<Operation> wrong() {
        return workload.named(cluster.world().violations());
    }

    /** All operations, also those of the checks at the end. */
    List<Operation> operations() {
        return workload.history().operations();
    }

    boolean isStory() {
        return begin > 0;
    }

    String title() {
        return title;
    }

    long begin() {
        return begin;
    }

    long end() {
        return end;
    }

    List<Sent> messages() {
        return Collections.unmodifiableList(messages);
    }

    /** What became of processes: {@code up}, {@code down}, {@code paused} or {@code running}. */
    List<Event> nodes() {
        return Collections.unmodifiableList(nodes);
    }

    List<Event> faults() {
        return Collections.unmodifiableList(faults);
    }

    List<Event> leaders() {
        return Collections.unmodifiableList(leaders);
    }

    List<Event> findings() {
        return Collections.unmodifiableList(findings);
    }

    List<Event> sentences() {
        return Collections.unmodifiableList(sentences);
    }

    List<Block> blocks() {
        return Collections.unmodifiableList(blocks);
    }

    List<Seen<MasterState>> maps() {
        return Collections.unmodifiableList(maps);
    }

    /** By server. */
    Map<String, List<Seen<List<Belief>>>> beliefs() {
        return Collections.unmodifiableMap(beliefs);
    }

    /** By path. */
    Map<String, List<Seen<LogEnd>>> logs() {
        return Collections.unmodifiableMap(logs);
    }

    /** The process that is, or was, an incarnation. */
    String process(Incarnation incarnation) {
        return processes.getOrDefault(incarnation, incarnation.server());
    }

    /** The processes to be shown, in order. */
    Set<String> names() {
        TreeSet<String> names = new TreeSet<>((one, other) -> {
            int byLength = Integer.compare(one.length(), other.length());
            return byLength != 0 ? byLength : one.compareTo(other);
        });
        cluster.nodes().forEach(node -> names.add(node.name()));
        nodes.forEach(event -> names.add(event.subject()));
        for (Sent sent : messages) {
            names.add(sent.from());
            names.add(sent.to());
        }
        names.removeIf(name -> !PARTICIPANT.matcher(name).matches());
        return names;
    }

    /** The process that performs an operation. */
    static String client(Operation operation) {
        return "c" + operation.call().client();
    }

    /** What follows a story repairs and checks; of that, it shows what was found. */
    @Override
    public void scene(long nanos, boolean begins) {
        if (begins) {
            begin = nanos;
            messages.clear();
        } else {
            shown.forEach(flight -> add(new Sent(flight.sentNanos(), nanos, flight.message(), Fate.HELD)));
            isOver = true;
            end = nanos;
        }
    }

    @Override
    public void shown(long sentNanos, long nanos, Message message) {
        shown.add(new Flight(sentNanos, message));
    }

    @Override
    public void arrived(long sentNanos, long nanos, Message message) {
        shown.remove(new Flight(sentNanos, message));
        add(new Sent(sentNanos, nanos, message, Fate.ARRIVED));
    }

    /** A message that a script lost is lost again when its connection ends. */
    @Override
    public void lost(long sentNanos, long nanos, Message message) {
        Flight flight = shown.stream()
                .filter(each -> each.message().equals(message))
                .findFirst()
                .orElse(new Flight(sentNanos, message));
        shown.remove(flight);
        if (lost.add(flight)) {
            add(new Sent(flight.sentNanos(), nanos, message, Fate.LOST));
        }
    }

    private void add(Sent sent) {
        if (!isOver && !CHATTER.contains(sent.message().what())) {
            messages.add(sent);
        }
    }

    @Override
    public void noted(long nanos, String node, String what, String detail) {
        if (isOver) {
            return;
        }
        switch (what) {
            case "starts" -> {
                nodes.add(new Event(nanos, node, "up"));
                up.add(node);
            }
            case "crashes" -> {
                nodes.add(new Event(nanos, node, "down"));
                up.remove(node);
                pausedUntil.remove(node);
            }
            case "leads" -> leaders.add(new Event(nanos, node, detail));
            default -> {
                boolean isFault = node.equals("fault") && (!detail.isEmpty() || what.equals(Faults.HEALED));
                boolean isOperator = node.equals("operator") && !what.startsWith("->") && !what.startsWith("asks");
                if (isFault || isOperator) {
                    faults.add(new Event(nanos, node, (what + " " + detail).strip()));
                }
            }
        }
    }

    @Override
    public void struck(long nanos, String fault) {
        faults.add(new Event(nanos, "fault", fault));
    }

    @Override
    public void paused(long nanos, String node, long untilNanos) {
        if (!isOver && up.contains(node)) {
            if (untilNanos > nanos) {
                nodes.add(new Event(nanos, node, "paused"));
            }
            pausedUntil.put(node, untilNanos); // It goes on at the next look after that.
        }
    }

    @Override
    public void blocked(long nanos, String from, String to, boolean isBlocked) {
        if (!isOver) {
            blocks.add(new Block(nanos, from, to, isBlocked));
        }
    }

    @Override
    public void said(long nanos, String sentence) {
        sentences.add(new Event(nanos, "", sentence));
    }

    @Override
    public void violated(long nanos, Finding finding) {
        findings.add(new Event(isOver ? end : nanos, finding.by().name(), finding.what()));
    }

    @Override
    public void looks(long nanos) {
        if (isOver) {
            return;
        }
        end = nanos;
        MasterState map = cluster.audited();
        if (maps.isEmpty() || maps.get(maps.size() - 1).what().mapVersion() != map.mapVersion()) {
            maps.add(new Seen<>(nanos, map));
        }
        if (nanos < nextLook) {
            return;
        }
        nextLook = nanos + LOOK_NANOS;
        pausedUntil.entrySet().removeIf(each -> {
            boolean isOver = each.getValue() <= nanos;
            if (isOver) {
                nodes.add(new Event(nanos, each.getKey(), "running"));
            }
            return isOver;
        });
        for (Node server : cluster.servers()) {
            beliefs.computeIfAbsent(server.name(), first -> new ArrayList<>());
        }
        beliefs.forEach((server, seen) -> {
            note(seen, nanos, cluster.roles().beliefs(server)); // Also of those that were replaced.
            Incarnation incarnation = cluster.roles().incarnation(server);
            if (incarnation != null) {
                processes.put(incarnation, server);
            }
        });
        if (cluster.dfs().isVisible() && nanos >= nextLookAtLogs) {
            nextLookAtLogs = nanos + LOG_LOOK_NANOS;
            lookAtLogs(nanos);
        }
    }

    private void lookAtLogs(long nanos) {
        for (String path : cluster.auditor().reachable()) {
            if (path.contains("-log-")) {
                logs.computeIfAbsent(path, first -> new ArrayList<>());
            }
        }
        logs.forEach((path, ends) -> note(
                ends,
                nanos,
                cluster.dfs().exists(path)
                        ? new LogEnd(
                                cluster.dfs().durableLength(path), cluster.dfs().isSealed(path))
                        : new LogEnd(-1, true)));
    }

    private static <T> void note(List<Seen<T>> seen, long nanos, T what) {
        if (seen.isEmpty() || !seen.get(seen.size() - 1).what().equals(what)) {
            seen.add(new Seen<>(nanos, what));
        }
    }
}
