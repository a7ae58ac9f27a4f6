package cleave.deploy.play;

import cleave.board.http.Play;
import cleave.board.http.Unusable;
import cleave.client.Endpoint;
import cleave.client.JsonText;
import cleave.deploy.CommandFailure;
import cleave.deploy.access.Deployment;
import cleave.deploy.access.TableAccount;
import cleave.deploy.cluster.LocalCluster;
import cleave.deploy.cluster.LocalCluster.NodeStatus;
import cleave.deploy.links.Link;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Play with what runs on this machine: with the processes of a local cluster and the links between them, by {@link LocalCluster} as the command line does it, and
 * with checked load.
 * Thread-safe. One thread does what is asked, one thing after the other; another looks at the processes, once a second while somebody asks.
 */
public final class LocalPlay implements Play, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LocalPlay.class);
    private static final String NO_LINKS = "The processes were started without --play, so their links cannot be cut:"
            + " end them by 'cleave cluster stop', and start them by 'cleave cluster --dir DIR --play'.";
    private static final int WAITING_MAX = 16;
    private static final int DONE_MAX = 20;
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final @Nullable Path dir;
    private final String missing;
    private final CheckedLoad load;
    private final ThreadPoolExecutor hand = thread("play hand");
    private final ThreadPoolExecutor eye = thread("play eye");
    /** Guarded by this, as all below. */
    private final Deque<Done> done = new ArrayDeque<>();

    private List<Seen> seen = List.of();
    private List<Link> cut = List.of();
    private long looked = System.nanoTime() - LOOK_NANOS;
    private boolean isLooking;
    private String doing = "";
    private long count;

    /** A process, and those to which it has links that can be cut. */
    private record Seen(NodeStatus node, List<String> partners) {}

    /** Something that was done, or could not be. */
    private record Done(long n, long t, String text, boolean failed) {}

    private LocalPlay(@Nullable Path dir, String missing, CheckedLoad load) {
        this.dir = dir;
        this.missing = missing;
        this.load = load;
    }

    /** With the processes that {@code cleave cluster} started in a folder. CommandFailure if there is no cluster in it. */
    public static LocalPlay ofCluster(Path dir) {
        LocalCluster.in(dir);
        return new LocalPlay(dir, "", new CheckedLoad(() -> {
            Deployment deployment = Deployment.load(dir);
            return deployment.endpoints().stream()
                    .map(each -> TableAccount.at(each, deployment.account(), deployment.key()))
                    .toList();
        }));
    }

    /** With load alone. */
    public static LocalPlay ofStandalone(Endpoint account) {
        return new LocalPlay(
                null,
                "All roles of a standalone are one process, which cannot end a part of itself:"
                        + " 'cleave cluster --dir DIR --play' has a process for each.",
                new CheckedLoad(() -> List.of(account)));
    }

    private static ThreadPoolExecutor thread(String name) {
        return new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(WAITING_MAX), task -> {
            Thread made = new Thread(task, name);
            made.setDaemon(true);
            return made;
        });
    }

    /** What may be done to a process. */
    private enum Deed {
        KILL("Killed"),
        PAUSE("Paused"),
        RESUME("Resumed"),
        START("Started"),
        WIPE("Stopped, wiped and started");

        private final String past;

        Deed(String past) {
            this.past = past;
        }

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        static Deed of(String word) {
            for (Deed deed : values()) {
                if (deed.word().equals(word)) {
                    return deed;
                }
            }
            throw new Unusable(
                    400, "do is '" + word + "'; it is one of kill, pause, resume, start, wipe, cut, heal and load");
        }

        boolean fits(NodeStatus node) {
            boolean runs = node.state().equals("running");
            return switch (this) {
                case KILL -> runs || node.state().equals("paused");
                case PAUSE -> runs;
                case RESUME -> node.state().equals("paused");
                case START -> node.state().equals("stopped");
                case WIPE -> runs && LocalCluster.canBeWiped(node.role());
            };
        }
    }

    @Override
    public void act(Map<String, String> what) {
        String deed = what.getOrDefault("do", "");
        String role = what.getOrDefault("role", "");
        String number = what.getOrDefault("number", "");
        switch (deed) {
            case "load" -> load(what.getOrDefault("load", ""));
            case "cut", "heal" -> toLinks(deed.equals("cut"), role, number, what.getOrDefault("partner", ""));
            default -> toProcess(Deed.of(deed), role, number);
        }
    }

    private void load(String word) {
        LoadShape shape = word.equals("off")
                ? null
                : LoadShape.of(word)
                        .orElseThrow(() -> new Unusable(
                                400,
                                "load is '" + word + "'; it is one of uniform, hot-partition, append, scan and off"));
        queue("load: " + word, () -> {
            load.shape(shape);
            return shape == null ? "The load is off." : "The load is " + word + ": " + shape.text() + ".";
        });
    }

    private Path folder() {
        Path folder = dir;
        if (folder == null) {
            throw new Unusable(409, missing);
        }
        return folder;
    }

    private static void refuseUnknown(Path folder, String role, String number) {
        boolean isThere = LocalCluster.in(folder).has(role, number);
        if (!isThere || role.equals("board")) {
            throw new Unusable(400, "this cluster has no " + role + " " + number + " to play with");
        }
    }

    /**
     * Cuts or heals links of a process; without a process it heals all.
     *
     * @param partner the process at their other end, such as {@code master-2}, or all those of a role: {@code master}
     */
    private void toLinks(boolean isCut, String role, String number, String partner) {
        Path folder = folder();
        if (!LocalCluster.in(folder).hasLinks()) {
            throw new Unusable(409, NO_LINKS);
        }
        if (!isCut && role.isEmpty() && partner.isEmpty()) {
            queue("heal all links", () -> {
                LocalCluster.in(folder).healAll();
                return "Healed all links.";
            });
            return;
        }
        refuseUnknown(folder, role, number);
        int process = Integer.parseInt(number);
        List<String> others = LocalCluster.in(folder).partners(role, process).stream()
                .filter(each ->
                        each.equals(partner) || each.replaceAll("-\\d+$", "").equals(partner))
                .toList();
        if (others.isEmpty()) {
            throw new Unusable(400, role + " " + number + " has no link to '" + partner + "'");
        }
        String links = (others.size() == 1 ? "the link of " : "the links of ") + role + " " + number + " to "
                + String.join(", ", others.stream().map(LocalPlay::spoken).toList());
        queue((isCut ? "cut " : "heal ") + links, () -> {
            LocalCluster cluster = LocalCluster.in(folder);
            if (isCut) {
                cluster.cut(role, process, others);
            } else {
                cluster.heal(role, process, others);
            }
            return (isCut ? "Cut " : "Healed ") + links + ".";
        });
    }

    /** {@code front-end 1} of {@code front-end-1}. */
    private static String spoken(String node) {
        int dash = node.lastIndexOf('-');
        return node.substring(0, dash) + " " + node.substring(dash + 1);
    }

    private void toProcess(Deed deed, String role, String number) {
        Path folder = folder();
        refuseUnknown(folder, role, number);
        String name = role + " " + number;
        queue(deed.word() + " " + name, () -> {
            carryOut(deed, LocalCluster.in(folder), role, Integer.parseInt(number));
            return deed.past + " " + name + ".";
        });
    }

    private static void carryOut(Deed deed, LocalCluster cluster, String role, int number) {
        switch (deed) {
            case KILL -> cluster.kill(role, number);
            case PAUSE -> cluster.pause(role, number);
            case RESUME -> cluster.resume(role, number);
            case START -> cluster.start(role, number);
            case WIPE -> {
                cluster.end(role, number);
                cluster.wipe(role, number, false);
                cluster.start(role, number);
            }
        }
    }

    private interface Task {
        String run();
    }

    private void queue(String what, Task task) {
        try {
            hand.execute(() -> run(what, task));
        } catch (RejectedExecutionException full) {
            throw new Unusable(503, "much is to be done already; ask again");
        }
    }

    private void run(String what, Task task) {
        doing(what);
        try {
            done(task.run(), false);
        } catch (CommandFailure refused) {
            done("To " + what + " failed: " + refused.getMessage(), true);
        } catch (RuntimeException bug) {
            LOG.error("play failed what={}", what, bug);
            done("To " + what + " failed: " + bug, true);
        } finally {
            doing("");
            look();
        }
    }

    private synchronized void doing(String what) {
        doing = what;
    }

    private synchronized void done(String text, boolean failed) {
        LOG.info("play text={}", text);
        done.addLast(new Done(++count, System.currentTimeMillis(), text, failed));
        if (done.size() > DONE_MAX) {
            done.removeFirst();
        }
    }

    private void look() {
        Path folder = dir;
        if (folder == null) {
            return;
        }
        try {
            LocalCluster cluster = LocalCluster.in(folder);
            List<Seen> all = cluster.status().stream()
                    .filter(node -> !node.role().equals("board"))
                    .map(node -> new Seen(node, cluster.partners(node.role(), node.number())))
                    .toList();
            List<Link> links = cluster.cutLinks();
            synchronized (this) {
                seen = all;
                cut = links;
            }
        } catch (RuntimeException failed) {
            LOG.warn("the processes cannot be looked at", failed);
        } finally {
            synchronized (this) {
                looked = System.nanoTime();
                isLooking = false;
            }
        }
    }

    @Override
    public synchronized byte[] state() {
        if (!isLooking && System.nanoTime() - looked >= LOOK_NANOS && !eye.isShutdown()) {
            isLooking = true;
            eye.execute(this::look);
        }
        return JsonText.of(this::write).getBytes(StandardCharsets.UTF_8);
    }

    private synchronized void write(JsonGenerator json) throws IOException {
        json.writeStringField("missing", missing);
        json.writeStringField("doing", doing);
        json.writeArrayFieldStart("processes");
        for (Seen each : seen) {
            NodeStatus node = each.node();
            json.writeStartObject();
            json.writeStringField("role", node.role());
            json.writeNumberField("number", node.number());
            json.writeStringField("state", node.state());
            json.writeStringField("readiness", node.readiness());
            json.writeArrayFieldStart("does");
            for (Deed deed : Deed.values()) {
                if (deed.fits(node)) {
                    json.writeString(deed.word());
                }
            }
            json.writeEndArray();
            json.writeArrayFieldStart("partners");
            for (String partner : each.partners()) {
                json.writeString(partner);
            }
            json.writeEndArray();
            json.writeEndObject();
        }
        json.writeEndArray();
        boolean hasLinks = seen.isEmpty()
                || seen.stream().anyMatch(each -> !each.partners().isEmpty());
        json.writeStringField("noLinks", hasLinks ? "" : NO_LINKS);
        json.writeArrayFieldStart("cut");
        for (Link link : cut) {
            json.writeStartArray();
            json.writeString(link.one());
            json.writeString(link.other());
            json.writeEndArray();
        }
        json.writeEndArray();
        json.writeArrayFieldStart("done");
        for (Done each : done) {
            json.writeStartObject();
            json.writeNumberField("n", each.n());
            json.writeNumberField("t", each.t());
            json.writeStringField("text", each.text());
            json.writeBooleanField("failed", each.failed());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeObjectFieldStart("load");
        writeLoad(json);
        json.writeEndObject();
    }

    private void writeLoad(JsonGenerator json) throws IOException {
        LoadShape now = load.shape();
        Lamp.Counts counts = load.counts();
        json.writeStringField("now", now == null ? "off" : now.word());
        json.writeStringField("trouble", load.trouble());
        json.writeNumberField("answered", counts.answered());
        json.writeNumberField("refused", counts.refused());
        json.writeNumberField("unknown", counts.unknown());
        json.writeNumberField("lost", counts.lost());
        json.writeNumberField("wrong", counts.wrong());
        json.writeArrayFieldStart("findings");
        for (String finding : counts.findings()) {
            json.writeString(finding);
        }
        json.writeEndArray();
        json.writeArrayFieldStart("shapes");
        for (LoadShape shape : LoadShape.values()) {
            json.writeStartObject();
            json.writeStringField("word", shape.word());
            json.writeStringField("text", shape.text());
            json.writeNumberField("perSecond", shape.perSecond());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    /** Ends the load; what was started stays. */
    @Override
    public void close() {
        hand.shutdownNow();
        eye.shutdownNow();
        load.close();
    }
}
