package cleave.deploy.board;

import cleave.board.Source;
import cleave.board.scrape.Scrape;
import cleave.board.scrape.Scrape.Kind;
import cleave.board.scrape.Scrape.Target;
import cleave.deploy.CommandFailure;
import cleave.deploy.admin.AdminClient;
import cleave.model.ClusterId;
import cleave.wire.Event;
import cleave.wire.EventsRequest;
import cleave.wire.FrontEndSeen;
import cleave.wire.HandoffState;
import cleave.wire.MasterPeer;
import cleave.wire.ServerSeen;
import cleave.wire.SettingsReply;
import cleave.wire.StatusReply;
import cleave.wire.StatusRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A cluster, asked by its masters' services for operators and by its processes' metrics. Thread-safe. */
final class AdminSource implements Source {
    /** Each master knows the front ends that watch it; none knows all. */
    private static final long FRONT_ENDS_NANOS = TimeUnit.SECONDS.toNanos(10);
    /** No incarnation has this id: the answer is without ranges. */
    private static final String NO_SERVER = "-";

    private final AdminClient client;
    private final Scraper scraper;
    private final @Nullable AdminClient admin;
    private boolean isMet;
    private long frontEndsAsked = System.nanoTime() - FRONT_ENDS_NANOS;
    private final Map<String, Target> frontEnds = new TreeMap<>();

    /**
     * Both are closed with this.
     *
     * @param client of patience of some seconds
     * @param admin for what changes something; null: nothing does
     */
    AdminSource(AdminClient client, Scraper scraper, @Nullable AdminClient admin) {
        this.client = client;
        this.admin = admin;
        this.scraper = scraper;
    }

    @Override
    public synchronized StatusReply status(boolean withNames) throws Unheard {
        StatusReply reply = heard(() -> client.status(StatusRequest.newBuilder()
                .setLoads(true)
                .setUnproved(true)
                .setTables(withNames)
                .build()));
        if (!isMet && !reply.getCluster().isEmpty()) {
            client.only(new ClusterId(reply.getCluster()));
            isMet = true;
        }
        client.know(reply.getPeersList().stream().map(MasterPeer::getAddress).toList());
        scraper.know(targets(reply));
        return reply;
    }

    private List<Target> targets(StatusReply reply) {
        List<Target> targets = new ArrayList<>();
        for (ServerSeen seen : reply.getSeenList()) {
            if (!seen.getAdmin().isEmpty()) {
                targets.add(new Target(Kind.SERVER, seen.getIncarnation().getServer(), seen.getAdmin()));
            }
        }
        if (System.nanoTime() - frontEndsAsked >= FRONT_ENDS_NANOS) {
            frontEndsAsked = System.nanoTime();
            frontEnds.clear();
            client.statusOfEach(StatusRequest.newBuilder()
                            .setServer(NO_SERVER)
                            .setUnproved(true)
                            .build())
                    .forEach(each -> each.getFrontEndsList().forEach(this::know));
        }
        targets.addAll(frontEnds.values());
        return targets;
    }

    private void know(FrontEndSeen seen) {
        if (!seen.getAdmin().isEmpty()) {
            String id = seen.getId().isEmpty() ? seen.getAdmin() : seen.getId();
            frontEnds.put(seen.getAdmin(), new Target(Kind.FRONT_END, id, seen.getAdmin()));
        }
    }

    @Override
    public StatusReply why(List<Long> ranges) throws Unheard {
        return heard(() -> client.status(StatusRequest.newBuilder()
                .addAllRanges(ranges)
                .setLoads(true)
                .setWhy(true)
                .setUnproved(true)
                .build()));
    }

    @Override
    public List<HandoffState> handoffs() throws Unheard {
        return heard(client::handoffs);
    }

    @Override
    public List<Event> events(long after, int limit) throws Unheard {
        return heard(() -> client.events(
                EventsRequest.newBuilder().setAfter(after).setLimit(limit).build()));
    }

    @Override
    public SettingsReply settings() throws Unheard {
        return heard(client::settingsWithMeanings);
    }

    @Override
    public SettingsReply change(Map<String, String> changes) throws Unheard {
        AdminClient by = admin;
        if (by == null) {
            throw new Unheard("this board has no administrator's rights");
        }
        return heard(() -> {
            by.change(changes);
            return by.settingsWithMeanings();
        });
    }

    @Override
    public List<Scrape> scrapes() {
        return scraper.newest();
    }

    private static <T> T heard(Supplier<T> call) throws Unheard {
        try {
            return call.get();
        } catch (CommandFailure failed) {
            throw new Unheard(String.join(
                    "; ",
                    String.valueOf(failed.getMessage())
                            .lines()
                            .map(String::strip)
                            .toList()));
        }
    }

    @Override
    public void close() {
        scraper.close();
        client.close();
        if (admin != null) {
            admin.close();
        }
    }
}
