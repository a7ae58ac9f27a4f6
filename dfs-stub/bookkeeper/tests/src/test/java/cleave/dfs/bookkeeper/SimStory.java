package cleave.dfs.bookkeeper;

import cleave.dfs.DfsException;
import cleave.dfs.DfsFile;
import cleave.dfs.bookkeeper.SimWorld.Bug;
import cleave.dfs.bookkeeper.state.Name;
import cleave.dfs.bookkeeper.state.NameTree;
import cleave.transcripts.Command;
import cleave.transcripts.Transcripts;
import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Tells what becomes of files. {@code a append log x} is a call of the process {@code a}, whose answer is shown when it comes, with the call if that is not the last one. {@code a ledger
 * log} and {@code a name log} are the two steps of a create.
 */
final class SimStory implements Transcripts.Interpreter {
    private static final long ANSWER_NANOS = TimeUnit.SECONDS.toNanos(25);
    private static final NameTree TREE = new NameTree(SimProcess.URI.path());

    private final SimWorld world;
    private final Map<String, SimProcess> processes = new HashMap<>();
    private final Map<String, DfsFile> files = new HashMap<>();
    private final Map<String, Long> made = new HashMap<>();
    private final Map<String, CompletableFuture<?>> underWay = new LinkedHashMap<>();

    SimStory(Bug bug) {
        world = new SimWorld(1, bug);
    }

    @Override
    public List<String> run(Command command) {
        switch (command.word()) {
            case "wait" -> world.time().advance(time(command.at(0)));
            case "bookies-restart" -> world.bookies().restart();
            case "zookeeper-away" -> world.zooKeeperIsAway(time(command.at(0)));
            case "bookies-lose" -> world.zooKeeper().put(SimBookies.node(ledger(command.at(0))), null);
            case "show" -> {
                return List.of(shown(command.at(0)));
            }
            default -> process(processes.computeIfAbsent(command.word(), world::start), command);
        }
        return answers(call(command));
    }

    private static String call(Command command) {
        return command.word() + " " + command.from(0);
    }

    private static long time(String text) {
        long count = Long.parseLong(text.substring(0, text.length() - 1));
        return text.endsWith("h") ? TimeUnit.HOURS.toNanos(count) : TimeUnit.SECONDS.toNanos(count);
    }

    private void process(SimProcess by, Command command) {
        String verb = command.at(0);
        String what = command.plain().size() > 1 ? command.at(1) : "";
        if (verb.equals("sleeps")) {
            by.sleep(time(what));
        } else if (verb.equals("ends")) {
            by.die();
            processes.remove(by.name());
        } else if (verb.equals("starts")) {
            world.time().advance(ANSWER_NANOS);
        } else {
            String call = call(command);
            CompletableFuture<Object> answer = new CompletableFuture<>();
            by.submit(() ->
                    SimZooKeeper.settle(answer, call(by, verb, what, command).thenApply(value -> value)));
            underWay.put(call, answer);
            world.time().advanceUntil(answer::isDone, ANSWER_NANOS);
        }
    }

    private CompletableFuture<? extends Object> call(SimProcess by, String verb, String path, Command command) {
        BookKeeperDfs dfs = by.files();
        Engine engine = dfs.engine();
        return switch (verb) {
            case "create" -> dfs.create(path).thenApply(file -> open(by, file));
            case "stage" -> dfs.createStaged(path).thenApply(file -> open(by, file));
            case "append" -> file(by, path).append(ByteString.copyFromUtf8(command.at(2)));
            case "barrier" -> file(by, path).barrier();
            case "seal" -> dfs.seal(path);
            case "delete" -> dfs.delete(path);
            case "stat" -> dfs.stat(path).thenApply(info -> info.length() + (info.sealed() ? " sealed" : " open"));
            case "list" ->
                dfs.list(path)
                        .thenApply(all -> all.stream()
                                .map(each -> each.path() + " " + each.length() + (each.sealed() ? " sealed" : " open"))
                                .toList());
            case "publish" -> StagedFiles.publish(engine, (LedgerFile) file(by, path));
            case "close" -> {
                file(by, path).close();
                yield dfs.listPaths("none/").thenApply(none -> "OK");
            }
            case "read" -> dfs.read(path, 0, 100).thenApply(ByteString::toStringUtf8);
            case "ledger" ->
                engine.ledgers().create(path).thenApply(ledger -> {
                    made.put(path, ledger.getId());
                    return "OK";
                });
            case "name" -> dfs.calls().run("create " + path, at -> at.names().create(path, Name.written(ledger(path))));
            default -> throw command.unknown();
        };
    }

    private String open(SimProcess by, DfsFile file) {
        files.put(by.name() + file.path(), file);
        made.put(file.path(), ((LedgerFile) file).ledgerId());
        return "OK";
    }

    private DfsFile file(SimProcess by, String path) {
        return Objects.requireNonNull(files.get(by.name() + path));
    }

    /** The one that was made last for a path. */
    private long ledger(String path) {
        return Objects.requireNonNull(made.get(path));
    }

    /** The answer to this call, if it has come, and those that have come to earlier ones. */
    private List<String> answers(String last) {
        List<String> told = new ArrayList<>();
        underWay.forEach((call, answer) -> {
            if (answer.isDone()) {
                String outcome = String.valueOf(answer.handle(SimStory::outcome).join());
                told.add(call.equals(last) ? outcome : call + ": " + outcome);
            }
        });
        underWay.values().removeIf(CompletableFuture::isDone);
        return told;
    }

    private static Object outcome(@Nullable Object value, @Nullable Throwable failure) {
        if (failure != null) {
            return ((DfsException) Failures.cause(failure)).reason();
        }
        return value == null ? "OK" : value;
    }

    private String shown(String path) {
        Name name = world.zooKeeper()
                .now(TREE.file(path))
                .or(() -> world.zooKeeper().now(TREE.deleted(path)))
                .map(node -> Name.parse(node.data(), 0))
                .orElse(Name.ABSENT);
        long ledger = name.hasLedger() ? name.ledger() : made.getOrDefault(path, Name.NO_LEDGER);
        boolean isThere = world.bookies().ledgers().contains(ledger);
        return name.kind()
                + (ledger == Name.NO_LEDGER ? "" : isThere ? ", its ledger is there" : ", its ledger is gone");
    }
}
