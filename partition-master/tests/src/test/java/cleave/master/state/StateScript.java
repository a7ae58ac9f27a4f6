package cleave.master.state;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.master.policy.ClusterDfs;
import cleave.master.policy.HandoffPlan;
import cleave.master.policy.HighWater;
import cleave.master.policy.Lineage;
import cleave.master.policy.MapCheck;
import cleave.master.policy.SplitPlanner;
import cleave.master.policy.Sweep;
import cleave.model.ClusterId;
import cleave.model.ClusterIdentity;
import cleave.model.DfsIdentity;
import cleave.model.FeatureLevels;
import cleave.model.Incarnation;
import cleave.model.Key;
import cleave.transcripts.Command;
import cleave.transcripts.Transcripts;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The world of a transcript of the masters' state, which begins empty. Each command prints its answer, and what it changes in the
 * state. {@code late NAME} builds a command now that {@code send NAME} applies later, any number of times.
 */
final class StateScript implements Transcripts.Interpreter {
    private final Script script = new Script();
    /** The last incarnations. */
    private final TreeMap<String, Incarnation> servers = new TreeMap<>();

    private final TreeMap<String, MasterCommand> late = new TreeMap<>();

    @Override
    public List<String> run(Command words) throws Exception {
        MasterState state = script.state();
        Proposals proposals = new Proposals(state, this::incarnation);
        return switch (words.word()) {
            case "late" -> {
                late.put(words.at(0), proposals.of(words.rest(1)));
                yield List.of();
            }
            case "send" -> apply(late.get(words.at(0)));
            // The findings of policies.
            case "lineage" -> List.of(String.valueOf(Lineage.problem(state, words.plain())));
            case "sweep" ->
                List.of(new Sweep(state, Set.of()).judge(words.at(0)).toString());
            case "plan-splits" -> plans(state, words);
            case "judge-dfs" -> {
                Optional<DfsIdentity> used = dfs(words.at(0));
                List<String> paths = words.plain().subList(1, words.plain().size());
                String problem = ClusterDfs.problem(state, used);
                String outdated = ClusterDfs.outdated(state, used, paths);
                yield List.of(
                        problem != null ? problem : outdated != null ? outdated : "fine",
                        "next " + ClusterDfs.next(state, used, paths));
            }
            case "check-map" -> List.of(checked(state, words));
            default -> apply(proposals.of(words));
        };
    }

    private Incarnation incarnation(String id) {
        int number = id.indexOf('.');
        return number < 0
                ? servers.getOrDefault(id, new Incarnation(id, 1))
                : new Incarnation(id.substring(0, number), Long.parseLong(id.substring(number + 1)));
    }

    private List<String> apply(@Nullable MasterCommand command) throws Exception {
        MasterState before = script.state();
        MasterAnswer answer = script.apply(Objects.requireNonNull(command));
        MasterState after = script.state();
        if (answer.isOk()) {
            byte[] logged = CommandCodec.encode(command, FeatureLevels.SUPPORTED.max());
            assertThat(CommandCodec.decode(logged, FeatureLevels.SUPPORTED)).isEqualTo(command);
            byte[] snapshot = SnapshotCodec.encode(after);
            assertThat(SnapshotCodec.decode(snapshot, FeatureLevels.SUPPORTED)).isEqualTo(after);
        } else {
            assertThat(after).isSameAs(before);
        }
        after.servers().values().forEach(each -> servers.put(each.incarnation().server(), each.incarnation()));
        List<String> printed = new ArrayList<>();
        printed.add(Shown.answer(answer) + (answer.firstTable() == 0 ? "" : " from table " + answer.firstTable()));
        if (after.equals(before)) {
            answer.rows().forEach(row -> printed.add("still " + Shown.row(row)));
            return printed;
        }
        differences("", Shown.rows(before), Shown.rows(after), printed);
        differences("", before.servers().values(), after.servers().values(), printed);
        differences("drop ", before.drops().values(), after.drops().values(), printed);
        differences("fence ", before.fences().all(), after.fences().all(), printed);
        differences("act ", before.acts().all(), after.acts().all(), printed);
        change("map ", before.mapVersion(), after.mapVersion(), printed);
        change("level ", before.level(), after.level(), printed);
        change("next table ", before.nextTable(), after.nextTable(), printed);
        change("dfs ", before.dfs(), after.dfs(), printed);
        return printed;
    }

    private static void differences(String what, Iterable<?> before, Iterable<?> after, List<String> printed) {
        List<String> left = new ArrayList<>();
        before.forEach(each -> left.add(what + each));
        List<String> come = new ArrayList<>();
        after.forEach(each -> come.add(what + each));
        left.stream().filter(each -> !come.contains(each)).forEach(each -> printed.add("- " + each));
        come.stream().filter(each -> !left.contains(each)).forEach(each -> printed.add("+ " + each));
    }

    private static void change(String what, Object before, Object after, List<String> printed) {
        if (!before.equals(after)) {
            printed.add(what + after);
        }
    }

    /** By a master of the cluster that {@code as=} names, on files of one or no cluster. */
    private static String checked(MasterState state, Command words) {
        String cluster = words.named("as", state.cluster());
        String files = words.named("files-of", cluster);
        Optional<ClusterIdentity> identity =
                files.equals("none") ? Optional.empty() : Optional.of(new ClusterIdentity(new ClusterId(files), "m1"));
        HighWater noted = new HighWater(Long.parseLong(words.named("noted", "0")), 1);
        MapCheck.Problem problem =
                MapCheck.problem(cluster, state, new MapCheck.Shown(identity, Optional.empty(), noted, words.plain()));
        return problem == null ? "fine" : (problem.isOfSettings() ? "settings: " : "") + problem.text();
    }

    private List<String> plans(MasterState state, Command words) {
        TreeSet<Key> keys = new TreeSet<>();
        words.plain().forEach(key -> keys.add(Shown.key(key)));
        String without = words.named("without", "");
        return SplitPlanner.plan(state, keys, server -> !without.contains(server.server())).stream()
                .map(HandoffPlan::toString)
                .toList();
    }

    private static Optional<DfsIdentity> dfs(String name) {
        DfsIdentity original = DfsIdentity.of("aaaaaaaa-2222-3333-4444-555555555555");
        DfsIdentity copy = DfsIdentity.ofCopy("bbbbbbbb-2222-3333-4444-555555555555", original);
        return switch (name) {
            case "none" -> Optional.empty();
            case "original" -> Optional.of(original);
            case "copy" -> Optional.of(copy);
            case "copy-of-the-copy" -> Optional.of(DfsIdentity.ofCopy("cccccccc-2222-3333-4444-555555555555", copy));
            default -> Optional.of(DfsIdentity.of("bbbbbbbb-2222-3333-4444-555555555555"));
        };
    }
}
