package cleave.frontend.metrics;

import io.prometheus.client.Collector;
import io.prometheus.client.CounterMetricFamily;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Requests, entities and bytes by account and by table: of those with the most traffic by name, of all others together. Thread-safe.
 *
 * <p>To count takes no lock, and allocates only for a name that is new. Memory and the number of series are bounded, whatever tables
 * there are: while there are free places, a name gets one with its first request; then a look, at a scrape and at most once a minute,
 * gives the places to those that had the most traffic lately. A name that loses its place disappears, and goes on among the others.
 * What is counted for a name begins when it gets its place, so no counter ever jumps by what was counted elsewhere. A name without
 * traffic, such as that of an account that was removed, is forgotten within an hour.
 */
final class Traffic extends Collector implements Collector.Describable {
    /** Stands for all names without a place. It is the name of no account and no table. */
    static final String OTHERS = "_other";

    private static final int NAMED_MAX = 50;
    /** Names that are counted one by one, with and without a place, to find the busiest. */
    private static final int KNOWN_MAX = 2_000;

    private static final long LOOK_NANOS = TimeUnit.MINUTES.toNanos(1);
    /** A request weighs as much as these bytes, so that many small ones are traffic, too. */
    private static final long REQUEST_WEIGHT = 1_000;
    /** A name must have this many times the traffic of another to take its place, so that two equal ones do not take turns. */
    private static final int ADVANTAGE = 2;

    private final LongSupplier clock;
    private final Ranking accounts;
    private final Ranking tables;
    private final ConcurrentHashMap<String, Account> byName = new ConcurrentHashMap<>();
    private long lookedNanos;

    /** The counts of one name, or of all others. */
    private static final class Figures {
        private final List<String> labels;
        private final LongAdder requests = new LongAdder();
        private final LongAdder entities = new LongAdder();
        private final LongAdder ingress = new LongAdder();
        private final LongAdder egress = new LongAdder();
        /** Traffic since the last look. */
        private final LongAdder recent = new LongAdder();
        /** Traffic up to the last look, halved with each. Guarded by the collector. */
        private long weight;

        private volatile boolean named;

        Figures(List<String> labels) {
            this.labels = labels;
        }

        void add(long entitiesMoved, long in, long out) {
            requests.increment();
            entities.add(entitiesMoved);
            ingress.add(in);
            egress.add(out);
        }

        long claim() {
            return named ? weight * ADVANTAGE : weight;
        }
    }

    /** An account and its tables. */
    private static final class Account {
        private final Figures figures;
        private final ConcurrentHashMap<String, Figures> tables = new ConcurrentHashMap<>();

        Account(Figures figures) {
            this.figures = figures;
        }
    }

    /** Names of one sort, which share places. */
    private static final class Ranking {
        private final String prefix;
        private final String what;
        private final List<String> labelNames;
        private final Figures others;
        private final AtomicInteger known = new AtomicInteger();
        private final AtomicInteger named = new AtomicInteger();

        Ranking(String prefix, String what, List<String> labelNames) {
            this.prefix = prefix;
            this.what = what;
            this.labelNames = labelNames;
            this.others = new Figures(labelNames.stream().map(name -> OTHERS).toList());
        }

        /** True if one more name may be told apart; it then counts as known. */
        boolean admits() {
            if (known.incrementAndGet() <= KNOWN_MAX) {
                return true;
            }
            known.decrementAndGet();
            return false;
        }

        Figures admitted(List<String> labels) {
            Figures figures = new Figures(labels);
            if (named.incrementAndGet() <= NAMED_MAX) {
                figures.named = true;
            } else {
                named.decrementAndGet();
            }
            return figures;
        }

        void count(Figures its, long entities, long in, long out) {
            its.recent.add(REQUEST_WEIGHT + in + out);
            (its.named ? its : others).add(entities, in, out);
        }

        /** Ages all, gives the places to the busiest, and answers those that had no traffic for long. */
        List<Figures> look(List<Figures> all) {
            all.forEach(each -> each.weight = each.weight / 2 + each.recent.sumThenReset());
            List<Figures> busiest = new ArrayList<>(all);
            busiest.sort(Comparator.comparingLong(Figures::claim).reversed());
            List<Figures> idle = new ArrayList<>();
            int places = 0;
            for (Figures each : busiest) {
                boolean isIdle = each.weight == 0;
                each.named = !isIdle && places < NAMED_MAX;
                places += each.named ? 1 : 0;
                if (isIdle) {
                    idle.add(each);
                }
            }
            named.set(places);
            known.addAndGet(-idle.size());
            return idle;
        }

        List<MetricFamilySamples> families(List<Figures> shown) {
            CounterMetricFamily requests =
                    new CounterMetricFamily(prefix + "_requests", "Requests answered, by " + what + ".", labelNames);
            CounterMetricFamily entities = new CounterMetricFamily(
                    prefix + "_entities", "Entities written or examined, by " + what + ".", labelNames);
            CounterMetricFamily ingress = new CounterMetricFamily(
                    prefix + "_ingress_bytes", "Bytes of the bodies of requests, by " + what + ".", labelNames);
            CounterMetricFamily egress = new CounterMetricFamily(
                    prefix + "_egress_bytes", "Bytes of the bodies of answers, by " + what + ".", labelNames);
            for (Figures each : shown) {
                requests.addMetric(each.labels, (double) each.requests.sum());
                entities.addMetric(each.labels, (double) each.entities.sum());
                ingress.addMetric(each.labels, (double) each.ingress.sum());
                egress.addMetric(each.labels, (double) each.egress.sum());
            }
            return List.of(requests, entities, ingress, egress);
        }

        List<MetricFamilySamples> collected(List<Figures> all) {
            List<Figures> shown = new ArrayList<>();
            shown.add(others);
            all.stream().filter(each -> each.named).forEach(shown::add);
            return families(shown);
        }
    }

    Traffic(String prefix, LongSupplier clock) {
        this.clock = clock;
        this.lookedNanos = clock.getAsLong();
        this.accounts = new Ranking(prefix + "_account", "account", List.of("account"));
        this.tables = new Ranking(prefix + "_table", "table", List.of("account", "table"));
    }

    /**
     * Counts a request of an account.
     *
     * @param table the name of one that exists
     */
    void count(String account, String table, long entities, long in, long out) {
        Account its = account(account);
        if (its == null) {
            accounts.others.add(entities, in, out);
            tables.others.add(entities, in, out);
            return;
        }
        accounts.count(its.figures, entities, in, out);
        Figures ofTable = table(its, account, table);
        if (ofTable == null) {
            tables.others.add(entities, in, out);
        } else {
            tables.count(ofTable, entities, in, out);
        }
    }

    /** Counts a request of an account that reached no table. */
    void count(String account, long entities, long in, long out) {
        Account its = account(account);
        if (its == null) {
            accounts.others.add(entities, in, out);
        } else {
            accounts.count(its.figures, entities, in, out);
        }
    }

    /** Null if too many are known. */
    private @Nullable Account account(String name) {
        Account known = byName.get(name);
        if (known != null) {
            return known;
        }
        return byName.computeIfAbsent(
                name, its -> accounts.admits() ? new Account(accounts.admitted(List.of(its))) : null);
    }

    /** Null if too many are known. */
    private @Nullable Figures table(Account of, String account, String name) {
        Figures known = of.tables.get(name);
        if (known != null) {
            return known;
        }
        return of.tables.computeIfAbsent(name, its -> tables.admits() ? tables.admitted(List.of(account, its)) : null);
    }

    @Override
    public synchronized List<MetricFamilySamples> collect() {
        long now = clock.getAsLong();
        if (now - lookedNanos >= LOOK_NANOS) {
            lookedNanos = now;
            look();
        }
        List<MetricFamilySamples> families = new ArrayList<>(accounts.collected(ofAccounts()));
        families.addAll(tables.collected(ofTables()));
        return families;
    }

    private void look() {
        for (Figures idle : tables.look(ofTables())) {
            Account account = byName.get(idle.labels.get(0));
            if (account != null) {
                account.tables.remove(idle.labels.get(1), idle);
            }
        }
        for (Figures idle : accounts.look(ofAccounts())) {
            Account account = byName.get(idle.labels.get(0));
            if (account == null || !account.tables.isEmpty() || !byName.remove(idle.labels.get(0), account)) {
                accounts.known.incrementAndGet(); // It was used meanwhile.
            }
        }
    }

    private List<Figures> ofAccounts() {
        return byName.values().stream().map(account -> account.figures).toList();
    }

    private List<Figures> ofTables() {
        return byName.values().stream()
                .flatMap(account -> account.tables.values().stream())
                .toList();
    }

    @Override
    public List<MetricFamilySamples> describe() {
        List<MetricFamilySamples> families = new ArrayList<>(accounts.families(List.of()));
        families.addAll(tables.families(List.of()));
        return families;
    }
}
