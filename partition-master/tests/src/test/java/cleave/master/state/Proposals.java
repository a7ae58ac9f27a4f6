package cleave.master.state;

import static java.util.Objects.requireNonNull;

import cleave.master.state.MasterCommand.AllocateTableIds;
import cleave.master.state.MasterCommand.ArmFence;
import cleave.master.state.MasterCommand.DeclareDead;
import cleave.master.state.MasterCommand.Drain;
import cleave.master.state.MasterCommand.DropDone;
import cleave.master.state.MasterCommand.DropTable;
import cleave.master.state.MasterCommand.Handoff;
import cleave.master.state.MasterCommand.Initialize;
import cleave.master.state.MasterCommand.Publish;
import cleave.master.state.MasterCommand.RaiseLevel;
import cleave.master.state.MasterCommand.Register;
import cleave.master.state.MasterCommand.Restore;
import cleave.master.state.MasterCommand.Restored;
import cleave.master.state.MasterCommand.SourceRow;
import cleave.master.state.MasterCommand.TargetRow;
import cleave.master.state.MasterCommand.UseDfs;
import cleave.model.FeatureLevels;
import cleave.model.Fence;
import cleave.model.Incarnation;
import cleave.model.Key;
import cleave.model.KeyRange;
import cleave.model.Row;
import cleave.transcripts.Command;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The masters' commands in the words of transcripts, built on a state. A key names the range that holds it; a server's id names its
 * incarnation.
 */
public final class Proposals {
    private final MasterState state;
    private final Function<String, Incarnation> who;

    public Proposals(MasterState state, Function<String, Incarnation> who) {
        this.state = state;
        this.who = who;
    }

    public MasterCommand of(Command words) {
        return switch (words.word()) {
            case "init" -> new Initialize(words.from(0));
            case "register" ->
                new Register(
                        words.at(0),
                        words.named("address", "address-of-" + words.at(0)),
                        levels(words.named("levels", "")));
            case "raise" -> new RaiseLevel((int) words.number(0), servers(words, 1));
            case "dead" -> new DeclareDead(servers(words, 0));
            case "publish" -> {
                Row row = row(words.at(0));
                String by = words.named("by", "");
                yield new Publish(
                        by.isEmpty() ? requireNonNull(row.owner()) : who.apply(by),
                        row.id() + Long.parseLong(words.named("beside", "0")),
                        row.version(),
                        words.from(1));
            }
            case "take" -> {
                Handoff taken = Script.takeover(row(words.at(1)), who.apply(words.at(0)), words.at(2));
                yield new Handoff(taken.by(), taken.sources(), taken.targets(), fences(words.named("sealed", "")));
            }
            case "arm" -> new ArmFence(fences(words.at(0)).get(0));
            case "begin-act" -> new MasterCommand.BeginAct(Act.begun(7, words.at(0), "", words.at(1), ""));
            case "end-act" -> new MasterCommand.EndAct(words.number(0), words.from(1));
            case "split" -> split(words);
            case "handoff" -> new Handoff(who.apply(words.at(0)), sources(words.at(1)), targets(words));
            case "allocate" -> new AllocateTableIds((int) words.number(0));
            case "drop" -> new DropTable(new Drop(words.named("account", "account"), words.at(0), words.number(1)));
            case "done" -> new DropDone(words.number(0));
            case "drain" -> new Drain(who.apply(words.at(0)), true);
            case "use-dfs" -> new UseDfs(words.named("before", ""), words.at(0), state.mapVersion() - words.number(1));
            case "restore" -> restore(words);
            case "no-op" -> new MasterCommand.NoOp();
            default -> throw words.unknown();
        };
    }

    /** {@code MIN-MAX}; all that this version supports if the text is empty, and null for {@code none}. */
    public static @Nullable FeatureLevels levels(String text) {
        String[] bounds = text.split("-");
        return text.isEmpty()
                ? FeatureLevels.SUPPORTED
                : text.equals("none")
                        ? null
                        : new FeatureLevels(Integer.parseInt(bounds[0]), Integer.parseInt(bounds[1]));
    }

    /** {@code SERVER:NUMBER}, with commas between them. */
    private List<Fence> fences(String texts) {
        return texts.isEmpty()
                ? List.of()
                : Arrays.stream(texts.split(","))
                        .map(text -> text.split(":"))
                        .map(parts -> new Fence(who.apply(parts[0]), Long.parseLong(parts[1])))
                        .toList();
    }

    private List<Incarnation> servers(Command words, int from) {
        return words.plain().stream().skip(from).map(who).toList();
    }

    private Row row(String key) {
        return requireNonNull(state.rows().at(Shown.key(key)), "no row at " + key);
    }

    private SourceRow source(String key, boolean consent) {
        return new SourceRow(row(key).id(), row(key).version(), consent);
    }

    /** Keys, with commas between them; the owner has not consented where {@code !} stands behind one. */
    private List<SourceRow> sources(String keys) {
        return keys.equals("none")
                ? List.of()
                : Arrays.stream(keys.split(","))
                        .map(key -> source(key.replace("!", ""), !key.endsWith("!")))
                        .toList();
    }

    /** {@code START..END:OWNER:MANIFEST} each. */
    private List<TargetRow> targets(Command words) {
        return words.plain().stream()
                .skip(2)
                .map(text -> text.split(":", -1))
                .map(parts -> new TargetRow(range(parts[0]), who.apply(parts[1]), parts[2]))
                .toList();
    }

    private static KeyRange range(String text) {
        String[] bounds = text.split("\\.\\.");
        return new KeyRange(Shown.key(bounds[0]), bounds[1].equals("-") ? null : Shown.key(bounds[1]));
    }

    /** By the owner, at these keys; the parts belong to the servers that {@code to=} names, in turn. */
    private Handoff split(Command words) {
        Row row = row(words.at(0));
        List<Key> at = words.plain().stream().skip(1).map(Shown::key).toList();
        String to = words.named("to", requireNonNull(row.owner()).server());
        return Script.split(row, at, Arrays.stream(to.split(",")).map(who).toList());
    }

    /** Puts the ranges of a backup in place of the range that holds the first key. */
    private Restore restore(Command words) {
        Row row = row("-");
        String epoch = words.named("epoch", "" + row.epoch());
        String manifest = "ranges/" + Row.idText(row.id()) + "/" + epoch + "-restore-5f." + epoch + "-manifest-1";
        List<Restored> ranges = words.plain().stream()
                .map(range -> new Restored(range(range), manifest))
                .toList();
        List<Drop> drops = words.has("drop=none") ? List.of() : List.of(new Drop("account", "orders", 3));
        return new Restore(List.of(source("-", false)), ranges, Long.parseLong(words.named("next", "9")), drops);
    }
}
