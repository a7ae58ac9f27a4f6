package cleave.server;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import cleave.dfs.Dfs;
import cleave.dfs.DfsException;
import cleave.dfs.DfsFile.Purpose;
import cleave.dfs.memory.InMemoryDfs;
import cleave.model.manifest.Manifest;
import cleave.server.range.ManifestFiles;
import cleave.server.store.InMemoryStores;
import cleave.transcripts.Command;
import cleave.transcripts.Transcripts;
import java.util.Arrays;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * The words of a transcript for the files of the DFS and servers' stores, and for what goes wrong with them. Where a file is named,
 * {@code NAME} stands for the path that {@code log NAME} remembered, and anything else for all paths that hold the parts between its
 * {@code +}.
 */
final class StorageScript implements Transcripts.Words {
    private final Cluster cluster;
    private final TreeMap<String, String> paths = new TreeMap<>();

    StorageScript(Cluster cluster) {
        this.cluster = cluster;
    }

    @Override
    public boolean run(Command command) {
        return names(command) || dfs(command) || stores(command);
    }

    String path(String name) {
        return paths.getOrDefault(name, name);
    }

    Predicate<String> matching(String text) {
        if (text.startsWith("!")) {
            return matching(text.substring(1)).negate().and(path -> path.contains("-log-"));
        }
        String exact = paths.get(text);
        return exact == null
                ? path -> text.equals("all") || Arrays.stream(text.split("\\+")).allMatch(path::contains)
                : path -> path.equals(exact);
    }

    /** The only range's newest. */
    Manifest published() {
        return requireNonNull(
                new ManifestFiles(cluster.dfs).read(publishedPath()).getNow(null));
    }

    private String publishedPath() {
        return String.valueOf(cluster.masters.onlyRow().manifest());
    }

    private boolean names(Command command) {
        switch (command.word()) {
            case "log" -> paths.put(command.at(0), cluster.nodes().get(0).logPath());
            case "newest-log" -> paths.put(command.at(0), cluster.dfs.newestOpenLog(command.at(1)));
            case "checkpoint-file" ->
                paths.put(
                        command.at(0),
                        published().checkpoints().get(0).files().stored().get(0).path());
            case "oldest-log" ->
                paths.put(command.at(0), published().logs().get(0).path());
            case "manifest-file" -> paths.put(command.at(0), publishedPath());
            default -> {
                return false;
            }
        }
        return true;
    }

    private boolean dfs(Command command) {
        InMemoryDfs dfs = cluster.dfs;
        switch (command.word()) {
            case "unreadable" -> {
                String path = path(command.at(0));
                DfsException.Reason reason = DfsException.Reason.valueOf(command.at(1));
                dfs.unreadable = read -> read.equals(path) ? reason : null;
            }
            case "hold-appends" -> dfs.holdAppends(matching(command.at(0)));
            case "release-appends" -> dfs.releaseAppends();
            case "release-one-append" -> dfs.releaseOneAppend(path(command.at(0)));
            case "break" -> dfs.breakAppends(path(command.at(0)), (int) command.number(1));
            case "hold-barriers" -> dfs.barriersSent.hold(matching(command.at(0)));
            case "release-barriers" -> dfs.barriersSent.release();
            case "hold-barrier-answers" -> dfs.barrierAnswers.hold();
            case "release-barrier-answers" -> dfs.barrierAnswers.release();
            case "barriers-per-file" -> dfs.barriersPerFile = command.number(0);
            case "unavailable-seals" -> {
                if (command.plain().size() > 1) {
                    dfs.unavailableSealsOf(path(command.at(1)), (int) command.number(0));
                } else {
                    dfs.unavailableSeals = (int) command.number(0);
                }
            }
            case "unavailable-creates" -> dfs.unavailableCreates = (int) command.number(0);
            case "refuse-creates" -> dfs.refuseCreates(matching(command.at(0)));
            case "take-by-others" -> {
                Predicate<String> taken = matching(command.at(0));
                long until = dfs.others().size() + command.number(1);
                dfs.takeByOthers(path -> taken.test(path) && dfs.others().size() < until);
            }
            case "hold-creates" -> dfs.createAnswers.hold(matching(command.at(0)));
            case "release-creates" -> dfs.createAnswers.release();
            case "keep-at-seal" -> dfs.keepAtSeal((int) command.number(0));
            case "seal" -> dfs.seal(path(command.at(0)));
            case "delete-file" -> dfs.delete(path(command.at(0)));
            case "flip" -> dfs.flip(path(command.at(0)), (int) command.number(1));
            case "space" -> dfs.space(Dfs.Space.valueOf(command.at(0)));
            case "refuse" ->
                dfs.refuse(command.plain().stream().map(Purpose::valueOf).toArray(Purpose[]::new));
            default -> {
                return false;
            }
        }
        return true;
    }

    private InMemoryStores stores(String server) {
        return cluster.node(server).stores;
    }

    private boolean stores(Command command) {
        switch (command.word()) {
            case "stores-fail" -> stores(command.at(0)).fails = !command.has("off");
            case "opens-fail" -> stores(command.at(0)).opensFail = !command.has("off");
            case "checkpoints-fail" -> stores(command.at(0)).checkpointsFail = true;
            case "hold-opens" -> stores(command.at(0)).opens.hold();
            case "release-opens" -> stores(command.at(0)).opens.release();
            case "hold-checkpoints" -> stores(command.at(0)).checkpoints.hold();
            case "release-checkpoints" -> stores(command.at(0)).checkpoints.release();
            case "free" -> stores(command.at(0)).freeBytes = command.number(1) << 20;
            case "close" -> cluster.node(command.at(0)).range().close("a test says so");
            case "merge-store" -> stores(command.at(0)).merge();
            case "rot" ->
                assertThat(stores(command.at(0)).rot(new Random(1), false)).isNotNull();
            default -> {
                return false;
            }
        }
        return true;
    }
}
