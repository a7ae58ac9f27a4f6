package cleave.board.sight;

import cleave.board.frame.Cells;
import cleave.board.frame.Cut;
import cleave.board.frame.Figure;
import cleave.board.frame.Frame;
import cleave.board.frame.Parties;
import cleave.board.frame.Parties.Handoff;
import cleave.board.frame.Parties.Master;
import cleave.board.frame.Parties.Server;
import cleave.board.frame.Parties.Step;
import cleave.board.frame.Told;
import cleave.board.frame.Told.Event;
import cleave.board.frame.Told.Hot;
import cleave.board.frame.Told.HotKey;
import cleave.board.frame.Told.Why;
import cleave.board.sight.Ranges.Range;
import cleave.model.HandoffNumber;
import cleave.model.Key;
import cleave.model.Row;
import cleave.model.Ticks;
import cleave.wire.HandoffState;
import cleave.wire.MasterPeer;
import cleave.wire.RangeLoad;
import cleave.wire.StatusReply;
import cleave.wire.WhyNot;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Makes frames of what is heard of a cluster: {@code (what was seen before, what is heard, now) -> frame}. Confined to its owner.
 */
public final class Sight {
    private static final int HOTTEST = 10;
    private static final String WINDOW = "about a second";
    /** Figures whose text holds keys. */
    private static final Set<String> OF_KEYS = Set.of("at", "partition");

    private final Names names;
    private final Grid grid;
    private final Servers servers = new Servers();
    private final Scraped scraped = new Scraped();
    private final Diagnoses diagnoses = new Diagnoses();
    private final TableNames tables = new TableNames();
    private List<Long> hottest = List.of();

    /** @param lastAxis the highest id that an axis had before */
    public Sight(Names names, long lastAxis) {
        this.names = names;
        this.grid = new Grid(names, lastAxis);
    }

    /** The frame of a moment. */
    public Frame frame(long n, Seen seen) {
        StatusReply status = seen.status();
        tables.learn(status);
        scraped.see(seen.scrapes());
        Ranges ranges = new Ranges(status);
        List<Server> living = servers.see(status, ranges, seen.now());
        Cells cells = grid.cells(ranges, tables, servers::ownerOf);
        List<Range> hot = ranges.hottest(HOTTEST);
        hottest = hot.stream().map(Range::id).toList();
        Told told = new Told(
                seen.events().stream().map(event -> event(event, names)).toList(),
                hot.stream().map(range -> hot(range, seen)).toList(),
                diagnoses.see(hot, tables, names, scraped.stalled(), seen.now()));
        Parties parties = new Parties(
                living,
                masters(status),
                leader(status),
                status.getTerm(),
                scraped.frontEnds(),
                scraped.dfs(),
                seen.handoffs().stream().map(Sight::handoff).toList());
        return new Frame(
                n,
                seen.now(),
                seen.span(),
                "",
                grid.axis(),
                cells,
                parties,
                ranges.all().size(),
                told);
    }

    /** The ids of the hottest ranges of the last frame: of them it is worth to know why they are left alone. */
    public List<Long> hottest() {
        return hottest;
    }

    /** The tables on the axis whose names the leader has not told. */
    public SortedSet<Long> unnamed() {
        SortedSet<Long> unnamed = new TreeSet<>();
        grid.axis().cuts().forEach(cut -> unnamed.add(cut.table()));
        unnamed.removeIf(tables::isKnown);
        return unnamed;
    }

    private static List<Master> masters(StatusReply status) {
        List<Master> masters = new ArrayList<>();
        for (MasterPeer peer : status.getPeersList()) {
            masters.add(new Master(peer.getId(), peer.getAddress(), peer.getRole(), peer.getBehind()));
        }
        return masters;
    }

    private static String leader(StatusReply status) {
        return status.getPeersList().stream()
                .filter(peer ->
                        peer.getRole().equals("LEADER") || peer.getAddress().equals(status.getLeader()))
                .map(MasterPeer::getId)
                .findFirst()
                .orElse(status.getLeader());
    }

    private static Handoff handoff(HandoffState state) {
        return new Handoff(
                HandoffNumber.text(state.getHandoff()),
                state.getKind(),
                state.getRangesList().stream().map(Row::idText).toList(),
                state.getFrom(),
                state.getToList(),
                state.getStep(),
                state.getMillis(),
                state.getAsker(),
                state.getReason(),
                state.getStepsList().stream()
                        .map(step -> new Step(step.getStep(), step.getMillis()))
                        .toList());
    }

    static Event event(cleave.wire.Event event, Names names) {
        return new Event(
                event.getNumber(),
                event.getTicks() / Ticks.PER_MILLI,
                event.getKind(),
                event.getRangesList(),
                event.getServersList(),
                event.getHandoff() == 0 ? "" : HandoffNumber.text(event.getHandoff()),
                event.getReason(),
                figures(event, names),
                event.getRejectedList());
    }

    /** Those with numbers, or from a master that does not tell these, texts. */
    private static List<Figure> figures(cleave.wire.Event event, Names names) {
        if (event.getFiguresCount() > 0) {
            return event.getFiguresList().stream()
                    .map(figure -> new Figure(
                            figure.getName(),
                            figure.getValue(),
                            text(figure.getName(), figure.getText(), names),
                            figure.getUnit()))
                    .toList();
        }
        return event.getEvidenceList().stream()
                .map(pair -> new Figure(pair.getName(), 0, text(pair.getName(), pair.getValue(), names), ""))
                .toList();
    }

    private static String text(String name, String text, Names names) {
        return OF_KEYS.contains(name) ? names.text(text) : text;
    }

    private Hot hot(Range range, Seen seen) {
        RangeLoad load = range.load();
        Key end = range.row().range().end();
        return new Hot(
                range.id(),
                tableOf(range),
                bound(range.row().range().start()),
                end == null ? null : bound(end),
                range.row().owner() == null ? "" : range.row().owner().server(),
                Math.round(load.getEntitiesPerSecond()),
                Math.round(load.getWritten()),
                Math.round(load.getRead()),
                Math.round(load.getScanned()),
                Math.round(load.getCpu() * 1000),
                Math.round(load.getQueueWaitMillis() * 1000),
                load.getBytes(),
                WINDOW,
                partition(load, names),
                why(seen.why().getOrDefault(range.id(), range.state().getWhyNotList()), names));
    }

    private @Nullable Cut bound(Key key) {
        return key.equals(Key.MIN) ? null : names.cut(key);
    }

    /** The table of its hottest partition, or that in which it begins. */
    static long tableOf(Range range) {
        return range.load().hasHottest()
                ? Key.fromWire(range.load().getHottest().getFirst()).table()
                : range.row().range().start().table();
    }

    static @Nullable HotKey partition(RangeLoad load, Names names) {
        return load.hasHottest()
                ? new HotKey(
                        names.cut(Key.fromWire(load.getHottest().getFirst())),
                        load.getHottest().getPart())
                : null;
    }

    /** A sentence may hold keys; the word that it explains does not. */
    static List<Why> why(List<WhyNot> all, Names names) {
        return all.stream()
                .map(why -> new Why(why.getOf(), why.getReason(), names.isHashed() ? why.getReason() : why.getText()))
                .toList();
    }
}
