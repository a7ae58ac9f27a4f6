package cleave.master.policy;

import static java.util.Objects.requireNonNull;

import cleave.master.policy.TakeoverRule.Failed;
import cleave.master.policy.TakeoverRule.Report;
import cleave.master.policy.TakeoverRule.Result;
import cleave.master.state.Proposals;
import cleave.master.state.Rows;
import cleave.master.state.Script;
import cleave.master.state.Shown;
import cleave.model.Incarnation;
import cleave.model.Row;
import cleave.transcripts.Command;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The world of {@link TakeoverRule}: a map whose only range has no owner, servers of equal load that may have two orders each, and a patience of five seconds. A
 * key names the range that holds it. {@code tick MILLIS} decides after that time, {@code report SERVER KEY REASON} and {@code report-store} report a failure; all
 * print what was decided.
 */
final class TakeoverScript implements TakeoverView.Servers {
    private static final long MILLI = 1_000_000;

    private final Script script = Script.started();
    private final TreeMap<String, Incarnation> servers = new TreeMap<>();
    private final TreeMap<Incarnation, Long> progress = new TreeMap<>();
    private final TreeSet<Incarnation> aside = new TreeSet<>();
    private final TreeSet<Incarnation> low = new TreeSet<>();
    private final TreeSet<Long> inHandoff = new TreeSet<>();
    private final List<Row> served = new ArrayList<>();
    private TakeoverMemory memory = TakeoverMemory.NONE;
    private boolean mayOrder = true;
    private long now;

    List<String> run(Command words) {
        switch (words.word()) {
            case "servers" -> words.plain().forEach(id -> servers.put(id, script.register(id)));
            case "serve" -> words.plain().forEach(key -> served.add(row(key)));
            case "hand-off" -> inHandoff.add(row(words.at(0)).id());
            case "aside" -> aside.add(server(words.at(0)));
            case "low" -> low.add(server(words.at(0)));
            case "progress" -> words.plain().forEach(id -> progress.put(server(id), now));
            case "leads" -> {
                memory = TakeoverMemory.NONE;
                mayOrder = !words.has("waiting");
            }
            case "tick" -> {
                now += words.number(0) * MILLI;
                return decided(TakeoverRule.decide(view(), memory, now));
            }
            case "report", "report-store" -> {
                Report report = new Report(
                        row(words.at(1)),
                        server(words.at(0)),
                        words.from(2),
                        words.word().equals("report-store"));
                return decided(TakeoverRule.reported(view(), memory, report, now));
            }
            case "rests" -> {
                return List.of("" + memory.rests(row(words.at(0)).id(), now));
            }
            default -> script.apply(new Proposals(script.state(), this::server).of(words));
        }
        return List.of();
    }

    private TakeoverView view() {
        return new TakeoverView(script.state(), this, inHandoff::contains, mayOrder, 5_000 * MILLI, 2);
    }

    private Incarnation server(String id) {
        return requireNonNull(servers.get(id), id);
    }

    private Row row(String key) {
        return requireNonNull(script.state().rows().at(Shown.key(key)), key);
    }

    private List<String> decided(Result result) {
        memory = result.memory();
        List<String> printed = new ArrayList<>();
        result.failed().forEach(each -> printed.add(shown(each)));
        result.ordered().forEach(each -> printed.add(each.taker().server() + " is to open " + shown(each.row())));
        result.givenAway()
                .forEach(each -> printed.add(
                        shown(each.row()) + " goes to " + each.taker().server() + " after " + each.failures()
                                + " failures of the store: " + Shown.command(each.command())));
        return printed;
    }

    private String shown(Failed failed) {
        return Row.idText(failed.range()) + " failed at "
                + failed.failure().at().server() + ": "
                + failed.failure().reason() + ", " + failed.failure().count() + " in a row, rests "
                + (failed.failure().until() - now) / MILLI + " ms";
    }

    private static String shown(Row row) {
        return Row.idText(row.id()) + row.range();
    }

    @Override
    public Collection<Incarnation> incarnations() {
        return servers.values();
    }

    @Override
    public boolean isAside(Incarnation server, long at) {
        return aside.contains(server) || low.contains(server);
    }

    @Override
    public boolean isLowOnSpace(Incarnation server) {
        return low.contains(server);
    }

    @Override
    public @Nullable Long openingProgressAt(Incarnation server) {
        return progress.get(server);
    }

    @Override
    public boolean serves(Incarnation server, Row row) {
        return served.contains(row);
    }

    @Override
    public double weight(long range) {
        return 1;
    }

    @Override
    public double weightOf(Incarnation server, Rows rows) {
        return rows.ownedBy(server).size();
    }
}
