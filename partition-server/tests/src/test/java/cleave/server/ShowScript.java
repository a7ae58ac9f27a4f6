package cleave.server;

import cleave.dfs.memory.InMemoryDfs;
import cleave.model.Row;
import cleave.model.manifest.Manifest;
import cleave.transcripts.Command;
import cleave.transcripts.Transcripts;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The words of a transcript that change nothing, and print what servers, masters and the DFS have. */
final class ShowScript implements Transcripts.Words {
    private final Cluster cluster;
    private final StorageScript storage;
    private final List<String> printed;
    private int appendsSeen;
    private int barriersSeen;

    ShowScript(Cluster cluster, StorageScript storage, List<String> printed) {
        this.cluster = cluster;
        this.storage = storage;
        this.printed = printed;
    }

    @Override
    public boolean run(Command command) {
        return files(command) || masters(command) || servers(command);
    }

    private void print(@Nullable Object what) {
        printed.add(String.valueOf(what));
    }

    private void printNames(Stream<String> paths) {
        String names = paths.map(path -> path.replaceFirst("ranges/", "")).collect(Collectors.joining(" "));
        print(names.isEmpty() ? "none" : names);
    }

    private boolean files(Command command) {
        InMemoryDfs dfs = cluster.dfs;
        switch (command.word()) {
            case "manifest" -> {
                Manifest manifest = storage.published();
                print("checkpoints "
                        + manifest.checkpoints().stream()
                                .map(each -> each.files().stored().size() + " files, "
                                        + each.files().inline().size() + " inline, checksums "
                                        + each.files().stored().stream()
                                                .filter(file -> file.checksum() != null)
                                                .count())
                                .toList()
                        + " logs "
                        + manifest.logs().stream()
                                .map(each -> each.path().replaceFirst(".*/", "") + (each.offset() > 0 ? "+" : ""))
                                .toList());
            }
            case "named" -> {
                Manifest manifest = storage.published();
                String path = storage.path(command.at(0));
                boolean isNamed = path.equals(cluster.masters.onlyRow().manifest())
                        || manifest.logs().stream().anyMatch(log -> log.path().equals(path))
                        || manifest.checkpoints().stream()
                                .flatMap(each -> each.files().stored().stream())
                                .anyMatch(file -> file.path().equals(path));
                print(command.at(0) + (isNamed ? " is still named" : " is named no more"));
            }
            case "files" -> printNames(dfs.paths("").stream().filter(storage.matching(command.at(0))));
            case "handles" -> printNames(dfs.handles().stream().filter(storage.matching(command.at(0))));
            case "others" ->
                print(dfs.others().size()
                        + (dfs.paths("").containsAll(dfs.others()) ? " are there" : " are not all there"));
            case "is-sealed" ->
                print(command.at(0) + (dfs.isSealed(storage.path(command.at(0))) ? " is sealed" : " is open"));
            case "log-is" ->
                print(
                        cluster.nodes().get(0).logPath().equals(storage.path(command.at(0)))
                                ? "still " + command.at(0)
                                : "another log");
            // Since they were asked for last.
            case "appends" -> {
                print((dfs.appends - appendsSeen) + " appends, " + dfs.appendsUnderWay() + " under way");
                appendsSeen = dfs.appends;
            }
            case "barriers" -> {
                print((dfs.barriers - barriersSeen) + " barriers");
                barriersSeen = dfs.barriers;
            }
            case "has-file" -> print(dfs.exists(storage.path(command.at(0))));
            case "reads" -> {
                printNames(dfs.reads.stream().distinct());
                dfs.reads.clear();
            }
            case "has-read" -> print(dfs.reads.contains(storage.path(command.at(0))));
            default -> {
                return false;
            }
        }
        return true;
    }

    private boolean masters(Command command) {
        FakeMasters masters = cluster.masters;
        switch (command.word()) {
            case "map" ->
                masters.inKeyOrder()
                        .forEach(row ->
                                print(Row.idText(row.id()) + row.range() + " " + row.owner() + " v" + row.version()));
            case "failure-reports" ->
                masters.failureReports.forEach(each -> print((each.getStore() ? "store of " : "")
                        + Row.idText(each.getRange()) + " v" + each.getVersion() + ": " + each.getReason()));
            case "publishes" ->
                print(masters.commands.stream()
                        .filter(each -> each.startsWith("publish"))
                        .count());
            case "told" -> print(masters.told);
            case "progress" -> print(masters.openingProgress.get(cluster.incarnation(command.at(0))));
            default -> {
                return false;
            }
        }
        return true;
    }

    private boolean servers(Command command) {
        switch (command.word()) {
            case "open-stores" -> print(node(command).stores.open);
            case "compactions" -> print(node(command).stores.compactions());
            case "damaged-files" -> printNames(node(command).range().damagedFiles().stream());
            case "readiness" -> {
                var readiness = node(command).membership.readiness();
                print((readiness.ready() ? "ready " : "not ready: ") + readiness.missing());
            }
            case "successor" -> print(node(command).directory.successor(ServerScript.key(command.at(1))));
            case "metric" ->
                print(node(command)
                        .registry
                        .getSampleValue("cleave_server_" + command.at(1), command.names(), command.values()));
            default -> {
                return false;
            }
        }
        return true;
    }

    private Node node(Command command) {
        return cluster.node(command.at(0));
    }
}
