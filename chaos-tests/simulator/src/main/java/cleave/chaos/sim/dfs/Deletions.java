package cleave.chaos.sim.dfs;

import cleave.chaos.sim.bugs.Bug;
import cleave.chaos.sim.world.Finding;
import cleave.chaos.sim.world.World;
import cleave.dfs.link.NodeLink;
import cleave.dfs.state.NamesAnswer;
import cleave.dfs.state.NamesAnswer.Outcome;
import cleave.dfs.state.NamesCommand;
import cleave.dfs.state.NamesCommand.CreateFile;
import cleave.dfs.state.NamesCommand.DeleteFile;
import cleave.dfs.state.NamesCommand.MarkSealing;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Checks that a path that a DFS node deleted never becomes a file again, in any process of the node and for any late
 * client; also plants the bugs that break this.
 */
final class Deletions {
    private static final long LATE_NANOS_MAX = 10_000_000_000L;
    private static final Pattern NAME = Pattern.compile(".*/\\d+-([^.]+)\\.(\\d+)-[a-z]+-\\d+");

    private final World world;
    private final Bug bug;
    private final TreeSet<String> gone = new TreeSet<>();
    private final TreeMap<String, Long> latest = new TreeMap<>();
    private Consumer<List<NamesCommand>> life = commands -> {};

    Deletions(World world, Bug bug) {
        this.world = world;
        this.bug = bug;
    }

    /** A process of the node starts, with this link to it. */
    void begin(String node, NodeLink link) {
        life = commands -> names(link, node, commands);
    }

    /** Forwards commands to the node and checks its answers. */
    CompletableFuture<List<NamesAnswer>> names(NodeLink link, String node, List<NamesCommand> commands) {
        List<Boolean> late =
                commands.stream().map(each -> gone.contains(each.path())).toList();
        commands.stream().filter(CreateFile.class::isInstance).forEach(each -> made(each.path()));
        return link.names(node, commands.stream().map(this::forgotten).toList())
                .thenApply(answers -> judged(commands, late, answers));
    }

    CompletableFuture<List<NamesAnswer>> lookUp(NodeLink link, String node, List<String> paths) {
        return link.lookUp(node, paths).thenApply(answers -> {
            List<NamesAnswer> judged = new ArrayList<>();
            for (int i = 0; i < paths.size(); i++) {
                judged.add(refused(paths.get(i), answers.get(i)));
            }
            return judged;
        });
    }

    private List<NamesAnswer> judged(List<NamesCommand> commands, List<Boolean> late, List<NamesAnswer> answers) {
        List<NamesAnswer> judged = new ArrayList<>();
        for (int i = 0; i < commands.size(); i++) {
            NamesCommand command = commands.get(i);
            NamesAnswer answer = answers.get(i);
            boolean makes = command instanceof CreateFile || command instanceof MarkSealing;
            if (makes && late.get(i)) {
                world.count("late creates and seals of deleted paths");
                if (answer.file() != null) {
                    world.violation(Finding.By.MAP, "a deleted path is a file again, by " + command);
                }
            }
            if (command instanceof DeleteFile && gone.add(command.path())) {
                comeLate(command.path());
            }
            judged.add(command instanceof MarkSealing ? refused(command.path(), answer) : answer);
        }
        return judged;
    }

    /**
     * Occasionally sends a command of a client that does not know of a deletion: one from before it, or one that
     * assumes that the file exists.
     */
    private void comeLate(String path) {
        Random random = new Random(path.hashCode());
        if (random.nextInt(10) == 0) {
            NamesCommand late = random.nextBoolean() ? new CreateFile(path, random.nextLong()) : new MarkSealing(path);
            world.after((long) (random.nextDouble() * LATE_NANOS_MAX), () -> life.accept(List.of(late)));
        }
    }

    /** The command as a node handles it that has forgotten the deletion: the path is new to it. */
    private NamesCommand forgotten(NamesCommand command) {
        if (bug != Bug.DELETED_PATH_CREATED_AGAIN || !gone.contains(command.path())) {
            return command;
        }
        String fresh = command.path() + "." + gone.size();
        if (command instanceof CreateFile create) {
            return new CreateFile(fresh, create.token());
        }
        return command instanceof MarkSealing ? new MarkSealing(fresh) : command;
    }

    private void made(String path) {
        Matcher name = NAME.matcher(path);
        if (name.matches()) {
            latest.merge(name.group(1), Long.parseLong(name.group(2)), Math::max);
        }
    }

    /** The answer of a node that treats all files of earlier incarnations as deleted. */
    private NamesAnswer refused(String path, NamesAnswer answer) {
        Matcher name = NAME.matcher(path);
        boolean over = bug == Bug.LIVING_FILE_REFUSED
                && name.matches()
                && latest.getOrDefault(name.group(1), 0L) > Long.parseLong(name.group(2));
        return over ? new NamesAnswer(Outcome.DELETED, null) : answer;
    }
}
