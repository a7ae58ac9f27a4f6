package cleave.chaos.sim.stories;

import cleave.chaos.history.OperationKind;
import cleave.chaos.history.Outcome;
import cleave.chaos.operation.Bodies;
import cleave.chaos.sim.cluster.SimRoles;
import cleave.chaos.sim.dfs.SimDfs;
import cleave.chaos.sim.raft.SimRaft;
import cleave.chaos.sim.raft.SimRaftDisk;
import cleave.chaos.sim.world.Finding;
import cleave.chaos.sim.world.Message;
import cleave.chaos.sim.world.Node;
import cleave.chaos.sim.world.SimMedium;
import cleave.client.Requests;
import cleave.dfs.Dfs;
import cleave.master.state.Server;
import cleave.model.Invariant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Plays the lines of a story on a stage. A line that begins with {@code >} is a sentence of the narration; all others
 * are steps, separated by semicolons. {@code NAME = ...} keeps a request under way, a trap for messages or a value, and
 * {@code NAME := ...} a text; sentences refer to them as {@code {NAME}}. {@code ->} waits for a request's outcome,
 * {@code await} until a trap has sprung, {@code until} for a condition; {@code must} asserts one, and may say more
 * after a colon.
 */
public final class Script {
    private static final long MILLI = 1_000_000L;
    private static final String NONE = "none";
    /** Words that mean themselves. */
    private static final Set<String> LITERALS = Set.of(NONE, "true", "false", SimDfs.NODE, SimRaft.NODE);

    private static final Pattern WORDS = Pattern.compile("[a-z][a-z -]*");
    private static final Pattern REFERENCE = Pattern.compile("\\{([\\w-]+)}");
    private static final Pattern CONDITION =
            Pattern.compile("(.+?) (did not come|came|is served|is not|is|are|contains|lacks|>=|<=|>|<)(?: (.+))?");
    private static final Pattern TRAP =
            Pattern.compile("(hold all|hold|watch) (answer )?(\\w+)((?: (?:from|to|about) \\S+)*)");
    private static final Pattern REQUEST = Pattern.compile("(c\\d)(?:@(f\\d))? (\\w+) ?(.*)");
    private static final Pattern ENTITY_OF_TABLE = Pattern.compile("(\\w+)/(\\w+) (?:into|of) (\\w+)");

    private final Stage stage;
    private final Map<String, List<String>> passages;
    private final Map<String, Object> named = new HashMap<>();
    private Map<String, SimRaftDisk> copiedFolders = Map.of();
    private final Map<Pattern, Consumer<String[]>> steps = new LinkedHashMap<>();

    /** @param passages what several stories have in common, by name */
    public Script(Stage stage, Map<String, List<String>> passages) {
        this.stage = stage;
        this.passages = passages;
        stepsOfTheStory();
        stepsOfNodes();
        stepsOfTheDfs();
        stepsOfTheOperator();
    }

    private void stepsOfTheStory() {
        on("include (.+)", a -> play(Objects.requireNonNull(passages.get(a[0]), a[0])));
        on("([\\w-]+) := (.+)", a -> named.put(a[0], a[1]));
        on("([\\w-]+) = (.+)", a -> named.put(a[0], made(a[1])));
        on("(.+) -> ([A-Z_, ]+?)(?: saying (.+))?", a -> answered(a[0], a[1], a[2]));
        on("await (.+)", a -> stage.untilHeld(trap(a[0])));
        on("release (.+)", a -> trap(a[0]).release());
        on("lose the folder of (.+)", a -> stage.mistakes().lose(List.of(node(a[0]))));
        on("lose (.+)", a -> trap(a[0]).lose());
        on("repeat (.+)", a -> trap(a[0]).repeat());
        on("pass until (.+) \\+ (.+)", a -> stage.world().runUntil((Long) value(a[0]) + nanos(a[1]), () -> false));
        on("pass (.+)", a -> stage.pass(nanos(a[0]) / MILLI));
        on("until (.+), every (\\d+ \\w+) (.+)", a -> untilRepeated(a[0], nanos(a[1]) / MILLI, a[2]));
        on("until (.+)", a -> stage.until(a[0], condition(a[0])));
        on(
                "must (.+?)(?:: (.+))?",
                a -> stage.must(a[1] == null ? a[0] : a[1], condition(a[0]).getAsBoolean()));
        on("wrong if (.+): (.+)", a -> {
            if (condition(a[0]).getAsBoolean()) {
                stage.world().violation(Finding.By.TABLE, a[1]);
            }
        });
    }

    private void stepsOfNodes() {
        on("start all masters with the copies", a -> stage.mistakes().age(copiedFolders));
        on("start (.+)", a -> nodes(a[0]).forEach(Node::start));
        on("crash (.+)", a -> nodes(a[0]).forEach(Node::crash));
        on("pause (.+) for (.+)", a -> node(a[0]).process().pause(nanos(a[1])));
        on("the clock of (.+) jumps (.+)", a -> node(a[0]).clock().jump(nanos(a[1])));
        on(
                "cut (.+) from (.+)",
                a -> betweenNodes(text(a[0]), a[1], stage.world().network()::block));
        on(
                "join (.+) with (.+)",
                a -> betweenNodes(text(a[0]), a[1], stage.world().network()::unblock));
        on("a stranger replaces (.+)", a -> {
            node(a[0]).crash();
            roles().stranger(text(a[0]));
        });
        on("flush the stores of (.+)", a -> roles().disk(text(a[0])).flush());
        on(
                "a bit rots on (.+)",
                a -> stage.must(
                        "a file is in no checkpoint", roles().disk(text(a[0])).rots(true)));
        on("leaders believe in themselves for (.+)", a -> raft().believeFor(nanos(a[0])));
        on("newcomers catch up for (.+)", a -> raft().catchUpFor(nanos(a[0])));
        on("depose the leader", a -> raft().depose());
        on("copy the folders", a -> copiedFolders = stage.mistakes().copy());
        on("restore the folders", a -> stage.mistakes().putRight());
    }

    private void stepsOfTheDfs() {
        on("seals keep what is durable", a -> stage.dfs().cutSeals((durable, stored) -> durable));
        on("seals keep what is stored", a -> stage.dfs().cutSeals((durable, stored) -> stored));
        on(
                "seals keep half of what is not durable",
                a -> stage.dfs().cutSeals((durable, stored) -> durable + (stored - durable) / 2));
        on("break the medium of (.+)", a -> stage.dfs().breakMedium(text(a[0])));
        on("the space of the DFS is (\\w+)", a -> stage.dfs().has(Dfs.Space.valueOf(a[0])));
        on("the DFS loses its names for (.+)", a -> stage.dfs().losesNames(nanos(a[0])));
        on("the DFS forgets fences, and is trusted for (.+)", a -> stage.dfs().forgetsFences(nanos(a[0])));
        on("readers of the DFS lag", a -> stage.dfs().inject(new SimMedium.FaultRates(0, 0, 0, 0, 0, 1)));
        on(
                "flip a bit of (.+)",
                a -> stage.dfs().files().flip(text(a[0]), Math.toIntExact(stage.length(text(a[0]))) - 1));
        on("sweep (.+)", a -> stage.sweeps(text(a[0])));
        on("copy the DFS", a -> stage.copies(stage.dfsMistakes()::copy));
        on("copy the copy", a -> stage.copies(stage.dfsMistakes()::copyAgain));
        on("all but (.+) use the copy", a -> stage.dfsMistakes().moveAllBut(node(a[0])));
        on("(.+) alone uses the copy", a -> stage.dfsMistakes().moveOnly(node(a[0])));
        on("correct the setting", a -> stage.dfsMistakes().putRight());
    }

    private void stepsOfTheOperator() {
        on("ask (.+) to split at (.+)", a -> stage.splits(text(a[0]), a[1]));
        on("merge (.+)", a -> stage.merges(stage.leader(), a[0]));
        on("move (.+) to (.+)", a -> stage.moves(stage.leader(), a[0], text(a[1])));
        on("replace (.+) by (.+)", a -> stage.changesMasters(text(a[0]), text(a[1])));
        on("add (.+)", a -> stage.changesMasters("", text(a[0])));
        on("remove (.+)", a -> stage.changesMasters(text(a[0]), ""));
    }

    private void on(String form, Consumer<String[]> effect) {
        steps.put(Pattern.compile(form), effect);
    }

    public void play(List<String> lines) {
        for (String line : lines) {
            if (line.startsWith("> ")) {
                stage.timeline().says(filled(line.substring(2)));
            } else {
                Arrays.stream(line.split("; ?")).forEach(this::step);
            }
        }
    }

    private void step(String written) {
        String step = filled(written.strip());
        for (Map.Entry<Pattern, Consumer<String[]>> each : steps.entrySet()) {
            Matcher match = each.getKey().matcher(step);
            if (match.matches()) {
                String[] parts = new String[match.groupCount()];
                Arrays.setAll(parts, i -> match.group(i + 1));
                each.getValue().accept(parts);
                return;
            }
        }
        throw new IllegalArgumentException("no step of a story: " + step);
    }

    private String filled(String text) {
        return REFERENCE.matcher(text).replaceAll(match -> Matcher.quoteReplacement(text(match.group(1))));
    }

    /** A trap, a request, or a value. */
    private Object made(String text) {
        Matcher trap = TRAP.matcher(text);
        if (trap.matches()) {
            return trap(trap);
        }
        Matcher request = REQUEST.matcher(text);
        return request.matches() ? request(request, request.group(4)) : value(text);
    }

    private Trap trap(Matcher form) {
        boolean isAnswer = form.group(2) != null;
        String name = (isAnswer ? "the answer to " : "") + form.group(3);
        Predicate<Message> which =
                message -> message.isAnswer() == isAnswer && message.what().equals(form.group(3));
        String[] more = form.group(4).strip().split(" ");
        for (int i = 0; i + 1 < more.length; i += 2) {
            String value = text(more[i + 1]);
            name += " " + more[i] + " " + value;
            which = which.and(
                    switch (more[i]) {
                        case "from" -> message -> message.from().equals(value);
                        case "to" -> message -> message.to().equals(value);
                        default -> message -> message.about().contains(value);
                    });
        }
        Trap.Mode mode = switch (form.group(1)) {
            case "hold" -> Trap.Mode.HOLDING_ONE;
            case "hold all" -> Trap.Mode.HOLDING_ALL;
            default -> Trap.Mode.WATCHING;
        };
        return stage.trap(name, which, mode);
    }

    private Trap trap(String name) {
        return (Trap) Objects.requireNonNull(named.get(name), name);
    }

    /** A client asks the front end of its number's parity, if no other is named. */
    private ScriptedRequest request(Matcher form, String what) {
        String name = form.group(1);
        String frontEnd = form.group(2) == null ? (name.charAt(1) % 2 == 1 ? "f1" : "f2") : form.group(2);
        Actor actor = stage.actor(name, frontEnd);
        Requests requests = actor.client().workload().requests();
        Matcher entity = ENTITY_OF_TABLE.matcher(what);
        boolean isOfTable = entity.matches();
        return switch (form.group(3)) {
            case "writes" -> actor.writes(what);
            case "deletes" ->
                what.startsWith("table ")
                        ? actor.sends("delete table", requests.deleteTable(what.substring(6)))
                        : actor.operates(what, OperationKind.DELETE);
            case "reads" -> actor.operates(what, OperationKind.GET);
            case "transacts" -> actor.writesTogether(List.of(what.split(" ")));
            case "scans" -> actor.scans();
            case "creates" -> actor.sends("create table", requests.createTable(what.substring(6)));
            case "gets" ->
                actor.sends(
                        "get " + entity.group(1) + "/" + entity.group(2),
                        requests.get(entity.group(3), entity.group(1), entity.group(2)));
            case "inserts" ->
                isOfTable
                        ? actor.sends(
                                "insert " + entity.group(1) + "/" + entity.group(2),
                                requests.insert(entity.group(3), Bodies.of(entity.group(1), entity.group(2), Map.of())))
                        : actor.operates(what, OperationKind.INSERT);
            default -> throw new IllegalArgumentException("no request of a client: " + form.group());
        };
    }

    /** Several entities are asked for one after the other. */
    private void answered(String asked, String outcomes, @Nullable String saying) {
        Outcome[] expected =
                Arrays.stream(outcomes.split(", ")).map(Outcome::valueOf).toArray(Outcome[]::new);
        if (named.get(asked) instanceof ScriptedRequest request) {
            stage.expects(request, expected);
            return;
        }
        Matcher form = REQUEST.matcher(asked);
        Invariant.check(form.matches(), "no request: %s", asked);
        boolean isOfEach = List.of("writes", "reads", "inserts", "deletes").contains(form.group(3))
                && form.group(4).contains("/")
                && !ENTITY_OF_TABLE.matcher(form.group(4)).matches();
        for (String what : isOfEach ? form.group(4).split(" ") : new String[] {form.group(4)}) {
            ScriptedRequest request = request(form, what);
            stage.expects(request, expected);
            stage.must(
                    request + " says " + saying,
                    saying == null || request.toString().contains(saying));
        }
    }

    private void untilRepeated(String what, long millis, String step) {
        BooleanSupplier holds = condition(what);
        stage.until(what, () -> {
            if (!holds.getAsBoolean()) {
                step(step);
                stage.pass(millis);
            }
            return holds.getAsBoolean();
        });
    }

    private BooleanSupplier condition(String text) {
        int and = text.indexOf(" and ");
        if (and > 0) {
            BooleanSupplier first = condition(text.substring(0, and));
            BooleanSupplier rest = condition(text.substring(and + 5));
            return () -> first.getAsBoolean() && rest.getAsBoolean();
        }
        Matcher form = CONDITION.matcher(text);
        Invariant.check(form.matches(), "no condition: %s", text);
        String right = form.group(3) == null ? "" : form.group(3);
        return form.group(2).equals("are")
                ? () -> stage.hasMembers(texts(right))
                : () -> holds(value(form.group(1)), form.group(2), value(right));
    }

    private boolean holds(Object left, String relation, Object right) {
        return switch (relation) {
            case "came" -> ((Trap) left).hasSprung();
            case "did not come" -> !((Trap) left).hasSprung();
            case "is served" -> stage.map().isLive(stage.row(left.toString()).owner());
            case "is" -> isSame(left, right);
            case "is not" -> !isSame(left, right);
            case "contains" -> ((Collection<?>) left).contains(right);
            case "lacks" -> !((Collection<?>) left).contains(right);
            case ">=" -> (Long) left >= (Long) right;
            case "<=" -> (Long) left <= (Long) right;
            case ">" -> (Long) left > (Long) right;
            default -> (Long) left < (Long) right;
        };
    }

    private static boolean isSame(Object left, Object right) {
        return left.equals(right) || (right instanceof String && left.toString().equals(right));
    }

    private String text(String name) {
        return value(name).toString();
    }

    /** The value of a name, fact or property; a number; otherwise the text itself, unless it is a word that names nothing. */
    private Object value(String text) {
        Object found = named.containsKey(text) ? named.get(text) : unnamed(text);
        if (found instanceof ScriptedRequest request) {
            found = request.outcome();
        }
        if (found instanceof Number number) {
            return number.longValue();
        }
        return found == null || found.equals("") ? NONE : found;
    }

    private @Nullable Object unnamed(String text) {
        int plus = text.indexOf(" + ");
        if (plus > 0) {
            return (Long) value(text.substring(0, plus)) + (Long) value(text.substring(plus + 3));
        }
        int of = text.indexOf(" of ");
        if (of > 0) {
            return property(text.substring(0, of), text.substring(of + 4));
        }
        if (text.startsWith("server other than ")) {
            return stage.otherThan(texts(text.substring(18)));
        }
        return switch (text) {
            case "now" -> stage.world().now();
            case "the leader" -> stage.leader();
            case "the newest leader" -> raft().leaderNode();
            case "the first follower" -> stage.followers().get(0);
            case "the second follower" -> stage.followers().get(1);
            case "the term" -> raft().term();
            case "the ranges" -> stage.map().rows().size();
            case "the live servers" -> stage.map().servers().toString();
            case "the servers" -> stage.map().servers().size();
            case "the DFS" -> stage.map().dfs();
            case "a blank master" -> stage.startsBlankMaster();
            default -> {
                Invariant.check(LITERALS.contains(text) || !WORDS.matcher(text).matches(), "nothing is named %s", text);
                yield text.matches("-?\\d+") ? Long.valueOf(text) : text;
            }
        };
    }

    private @Nullable Object property(String what, String of) {
        String name = what.equals("count") || named.get(of) instanceof Trap ? "" : text(of);
        return switch (what) {
            case "row" -> stage.row(name);
            case "owner" -> stage.row(name).owner();
            case "version" -> stage.row(name).version();
            case "epoch" -> stage.row(name).epoch();
            case "manifest" -> stage.row(name).manifest();
            case "server" -> stage.owner(name);
            case "log" -> last(stage.logs(name));
            case "logs" -> stage.logs(name);
            case "checkpoint" -> stage.checkpoint(name);
            case "damage" -> stage.damagedFiles(name);
            case "length" -> stage.length(name);
            case "incarnation" ->
                Optional.ofNullable(stage.map().servers().get(name))
                        .map(Server::incarnation)
                        .orElse(null);
            case "identity" -> raft().member(name).self();
            case "belief" -> raft().believesToLead(name);
            case "known ranges" -> raft().member(name).state().rows().size();
            case "sender" -> trap(of).first().from();
            case "receiver" -> trap(of).first().to();
            case "subject" -> trap(of).first().about();
            case "arrivals" -> trap(of).count();
            case "count" -> stage.world().trace().counts().getOrDefault(of, 0);
            case "last" -> last((List<?>) value(of));
            default -> throw new IllegalArgumentException("nothing is known as the " + what + " of " + of);
        };
    }

    private static Object last(List<?> all) {
        return all.get(all.size() - 1);
    }

    private SimRaft raft() {
        return stage.cluster().raft();
    }

    private SimRoles roles() {
        return stage.cluster().roles();
    }

    /** Changes the connections of a node in both directions: to another one, or to {@code the masters}. */
    private void betweenNodes(String node, String others, BiConsumer<String, String> change) {
        for (String other : others.equals("the masters") ? stage.masters() : List.of(text(others))) {
            if (!other.equals(node)) {
                change.accept(node, other);
                change.accept(other, node);
            }
        }
    }

    private String[] texts(String names) {
        return Arrays.stream(names.split(" ")).map(this::text).toArray(String[]::new);
    }

    private Node node(String name) {
        return stage.node(text(name));
    }

    /** One node, or all of a role but perhaps one. */
    private Collection<Node> nodes(String which) {
        int but = which.indexOf(" but ");
        String except = but < 0 ? "" : text(which.substring(but + 5));
        String group = but < 0 ? which : which.substring(0, but);
        List<String> names = new ArrayList<>(
                switch (group) {
                    case "all masters" -> stage.masters();
                    case "all servers" -> stage.servers();
                    default -> List.of(text(group));
                });
        names.remove(except);
        return names.stream().map(stage::node).toList();
    }

    private static long nanos(String duration) {
        String[] parts = duration.split(" ");
        return Long.parseLong(parts[0]) * (parts[1].equals("ms") ? MILLI : 1_000 * MILLI);
    }
}
