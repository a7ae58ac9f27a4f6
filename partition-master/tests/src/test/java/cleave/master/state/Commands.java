package cleave.master.state;

import cleave.master.state.MasterCommand.AllocateTableIds;
import cleave.master.state.MasterCommand.ChangeSettings;
import cleave.master.state.MasterCommand.DeclareDead;
import cleave.master.state.MasterCommand.Drain;
import cleave.master.state.MasterCommand.DropDone;
import cleave.master.state.MasterCommand.DropTable;
import cleave.master.state.MasterCommand.Handoff;
import cleave.master.state.MasterCommand.Initialize;
import cleave.master.state.MasterCommand.NoOp;
import cleave.master.state.MasterCommand.Publish;
import cleave.master.state.MasterCommand.Register;
import cleave.master.state.MasterCommand.SeedSettings;
import cleave.master.state.MasterCommand.SourceRow;
import cleave.master.state.MasterCommand.TargetRow;
import cleave.model.Incarnation;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Random commands that are often sensible for a state, often late, and sometimes wrong. Confined to one test. */
final class Commands {
    private final Random random;
    private final List<Incarnation> everyone = new ArrayList<>(List.of(new Incarnation("ghost", 1)));
    private final List<Row> everyRow = new ArrayList<>();
    private final List<MasterCommand> sent = new ArrayList<>();
    private int manifests;

    Commands(long seed) {
        random = new Random(seed);
    }

    /** The next command for a state, which may have been seen late. */
    MasterCommand next(MasterState seen) {
        seen.servers().values().stream()
                .map(Server::incarnation)
                .filter(incarnation -> !everyone.contains(incarnation))
                .forEach(everyone::add);
        seen.rows().all().stream().filter(row -> !everyRow.contains(row)).forEach(everyRow::add);
        MasterCommand command = !sent.isEmpty() && random.nextInt(8) == 0 ? pick(sent) : make(seen);
        sent.add(command);
        return command;
    }

    private MasterCommand make(MasterState seen) {
        return switch (random.nextInt(16)) {
            case 0 -> new Register("s" + random.nextInt(4), "host:" + random.nextInt(3));
            case 1 -> new DeclareDead(List.of(pick(everyone)));
            case 2 -> new AllocateTableIds(random.nextInt(3));
            case 3 -> new DropTable(new Drop("a", "t", random.nextInt(8)));
            case 4 -> new DropDone(random.nextInt(8));
            case 5 -> random.nextBoolean() ? new Initialize("c") : new NoOp();
            case 6, 7 -> publish(seen);
            case 8, 9 -> merge(seen);
            case 10 -> new Drain(pick(everyone), random.nextBoolean());
            case 11 -> settings();
            default -> split(seen);
        };
    }

    private MasterCommand settings() {
        if (random.nextInt(3) == 0) {
            return new SeedSettings(BalancerSettings.DEFAULT.texts());
        }
        String name = random.nextInt(4) == 0 ? "balancer.nothing" : "balancer.split-load";
        return new ChangeSettings(Map.of(name, Integer.toString(random.nextInt(5) * 100)));
    }

    private MasterCommand publish(MasterState seen) {
        Row row = row(seen);
        Incarnation owner = row == null ? null : row.owner();
        return row == null
                ? new Initialize("c")
                : new Publish(owner == null ? pick(everyone) : owner, row.id(), row.version(), manifest());
    }

    /** A split, a move or a takeover, with bounds that may be wrong. */
    private MasterCommand split(MasterState seen) {
        Row row = row(seen);
        if (row == null) {
            return new Initialize("c");
        }
        Incarnation owner = row.owner();
        boolean consent = seen.isLive(owner);
        Incarnation by = consent && owner != null ? owner : live(seen);
        List<TargetRow> targets = new ArrayList<>();
        Key start = row.range().start();
        for (Key at : consent ? cuts(row) : List.<Key>of()) {
            targets.add(new TargetRow(new KeyRange(start, at), live(seen), manifest()));
            start = at;
        }
        KeyRange last = new KeyRange(start, row.range().end());
        targets.add(new TargetRow(last, consent ? live(seen) : by, manifest()));
        if (random.nextInt(12) == 0) {
            targets.remove(random.nextInt(targets.size()));
        }
        return new Handoff(by, List.of(new SourceRow(row.id(), row.version(), consent)), targets);
    }

    private List<Key> cuts(Row row) {
        List<Key> cuts = new ArrayList<>();
        for (int i = random.nextInt(3); i > 0; i--) {
            Key at = random.nextInt(20) == 0
                    ? Key.of(random.nextInt(9), "p", "r")
                    : Key.beforePartition(random.nextInt(9), "p" + random.nextInt(4));
            Key last = cuts.isEmpty() ? row.range().start() : cuts.get(cuts.size() - 1);
            if (row.range().contains(at) && at.compareTo(last) > 0) {
                cuts.add(at);
            }
        }
        return cuts;
    }

    private MasterCommand merge(MasterState seen) {
        Row left = random.nextInt(3) == 0 ? row(seen) : withSiblingOnItsRight(seen);
        Key middle = left == null ? null : left.range().end();
        Row right = middle == null ? null : seen.rows().at(middle);
        if (left == null || right == null) {
            return new NoOp();
        }
        Incarnation by = left.owner() == null ? live(seen) : left.owner();
        KeyRange whole = new KeyRange(left.range().start(), right.range().end());
        List<SourceRow> sources = List.of(
                new SourceRow(left.id(), left.version(), true), new SourceRow(right.id(), right.version(), true));
        return new Handoff(by, sources, List.of(new TargetRow(whole, live(seen), manifest())));
    }

    /** A row whose right neighbour has the same owner; null if there is none. */
    private @org.jspecify.annotations.Nullable Row withSiblingOnItsRight(MasterState seen) {
        List<Row> found = new ArrayList<>();
        Row before = null;
        for (Row row : seen.rows().all()) {
            if (before != null && before.owner() != null && before.owner().equals(row.owner())) {
                found.add(before);
            }
            before = row;
        }
        return found.isEmpty() ? null : pick(found);
    }

    private @org.jspecify.annotations.Nullable Row row(MasterState seen) {
        if (seen.rows().isEmpty()) {
            return null;
        }
        return random.nextInt(5) == 0
                ? pick(everyRow)
                : pick(List.copyOf(seen.rows().all()));
    }

    private Incarnation live(MasterState seen) {
        return seen.servers().isEmpty() || random.nextInt(20) == 0
                ? pick(everyone)
                : pick(List.copyOf(seen.servers().values())).incarnation();
    }

    private String manifest() {
        return "m/" + manifests++;
    }

    private <T> T pick(List<T> from) {
        return from.get(random.nextInt(from.size()));
    }
}
