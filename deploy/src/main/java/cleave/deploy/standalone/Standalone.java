package cleave.deploy.standalone;

import cleave.client.Endpoint;
import cleave.client.SharedKey;
import cleave.deploy.CommandFailure;
import cleave.deploy.access.DataFolder;
import cleave.deploy.access.Deployment;
import cleave.deploy.access.FoundedFile;
import cleave.deploy.access.TableAccount;
import cleave.deploy.role.EndSignals;
import cleave.deploy.role.Roles;
import cleave.deploy.role.RunningRole;
import cleave.deploy.role.SharedDfs;
import cleave.master.PartitionMaster;
import cleave.model.Facts;
import cleave.model.Readiness;
import cleave.runtime.files.FolderLock;
import cleave.runtime.rpc.Transport;
import cleave.runtime.settings.ProcessMemory;
import cleave.runtime.settings.Settings;
import cleave.wire.ErrorCode;
import cleave.wire.FoundReply;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One master, one partition server and one front end in this process, on a DFS in a folder. Thread-safe; started and closed
 * once.
 */
public final class Standalone implements RunningRole {
    private static final long FOUNDING_SECONDS = 300;
    private static final long MASTER_SECONDS = 5;
    private static final DataFolder FOLDER =
            new DataFolder("standalone", "--data", Pattern.compile("dfs|master|server|board|cleave\\.log.*"));

    private final StandaloneConfig config;
    private final List<Function<CollectorRegistry, RunningRole>> recipes;
    private final CollectorRegistry registry;
    private final List<RunningRole> started = new ArrayList<>();
    private String admin = "";
    private volatile List<String> endpoints = List.of();
    private volatile @Nullable FolderLock lock;
    private volatile @Nullable AdminGate gate;
    private volatile @Nullable PartitionMaster leader;
    private volatile Runnable beforeEnd = () -> {};
    private volatile boolean isTold;
    private volatile boolean hasServed;
    private volatile Readiness startup = Readiness.missing("it is starting");

    /** Reads all settings: one that is wrong or unknown is refused here, before anything is touched. */
    public Standalone(StandaloneConfig config, CollectorRegistry registry) {
        this.config = config;
        this.registry = registry;
        Settings settings = new Settings(config.ofRoles());
        SharedDfs dfs = SharedDfs.from(settings);
        recipes = List.of(
                Roles.master(settings, dfs, this::found),
                Roles.server(settings, dfs),
                Roles.frontEnd(settings, Transport.PLAIN, listening -> endpoints = List.copyOf(listening)));
        settings.refuseUnknown();
    }

    @Override
    public String name() {
        return "standalone";
    }

    /** The memory of its server, the one role with stores; known after the start. */
    @Override
    public ProcessMemory memory() {
        return started.stream()
                .map(RunningRole::memory)
                .max(Comparator.comparing(ProcessMemory::sum))
                .orElseThrow();
    }

    /** Takes the folder, or says why it cannot be had: a part of the start that may be done before. */
    public void claim() {
        if (lock == null) {
            refuseTakenPort();
            lock = FOLDER.take(config.data());
        }
    }

    @Override
    public void metricsAt(String address) {
        admin = address;
    }

    /** This is done when the process is to end, while the roles still serve. */
    public void beforeEnd(Runnable task) {
        beforeEnd = task;
    }

    @Override
    public void leave(EndSignals signals) {
        beforeEnd.run();
    }

    @Override
    public void start() {
        claim();
        for (Function<CollectorRegistry, RunningRole> recipe : recipes) {
            RunningRole role = recipe.apply(registry);
            started.add(role);
            role.metricsAt(admin);
            role.start();
        }
        AdminGate made = new AdminGate("127.0.0.1:0", config.master());
        gate = made;
        SharedKey key = account().sharedKey();
        new Deployment(List.of(made.address()), endpoints(), null, key.account(), key.key()).save(config.data());
        isTold = true;
        startup = Readiness.READY;
    }

    /** Founds the cluster at the first start, and after one that ended before that was done. */
    private void found(PartitionMaster master) {
        leader = master;
        if (FoundedFile.isIn(config.data())) {
            return;
        }
        FoundReply reply;
        try {
            reply = master.found().get(FOUNDING_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException failed) {
            throw FoundedFile.refused(String.valueOf(failed));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw FoundedFile.refused("interrupted");
        }
        if (reply.getStatus().getCode() != ErrorCode.OK) {
            throw FoundedFile.refused(reply.getStatus().getMessage());
        }
        FoundedFile.write(config.data(), reply.getCluster());
    }

    private void refuseTakenPort() {
        try {
            if (config.listensHere() && !config.listen().isFree()) {
                throw CommandFailure.taken("port " + config.listen().port() + " of "
                        + config.listen().host()
                        + " is in use; end what uses it, or give another by --port (0: any free one)");
            }
        } catch (IOException failed) {
            throw new UncheckedIOException("listening on " + config.listen(), failed);
        }
    }

    /** The account that every SDK knows, at the first endpoint. */
    public Endpoint account() {
        return TableAccount.development(endpoints().get(0));
    }

    /** The URLs by which clients reach it, once it is started; that of HTTP is first if there are two. */
    public List<String> endpoints() {
        List<String> known = endpoints;
        return known.isEmpty() ? List.of("http://" + config.listen()) : known;
    }

    /** The address of the master's admin service for other processes. */
    public String masters() {
        AdminGate made = gate;
        return made == null ? config.master() : made.address();
    }

    @Override
    public Readiness readiness() {
        if (!startup.ready()) {
            return startup;
        }
        Readiness all = Readiness.READY;
        for (RunningRole role : started) {
            Readiness its = role.readiness();
            if (!its.ready()) {
                return Readiness.missing(role.name() + ": " + its.missing());
            }
            all = its.missing().isEmpty() ? all : Readiness.but(role.name() + ": " + its.missing());
        }
        Readiness ranges = ranges();
        if (ranges.ready()) {
            hasServed = true;
            return all;
        }
        return hasServed ? Readiness.but(ranges.missing()) : ranges;
    }

    /** Whether all ranges are served. Once they were, some may be opened again at any time, for example after a split. */
    private Readiness ranges() {
        PartitionMaster master = leader;
        if (master == null) {
            return Readiness.missing("the master is starting");
        }
        try {
            return master.serving().get(MASTER_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException failed) {
            return Readiness.missing("the master does not say whether the ranges are served: " + failed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return Readiness.missing("interrupted");
        }
    }

    @Override
    public Map<String, Executor> loops() {
        Map<String, Executor> loops = new TreeMap<>();
        started.forEach(role -> loops.putAll(role.loops()));
        return loops;
    }

    /** The same for all of its roles. */
    @Override
    public SortedMap<String, String> settings() {
        return started.isEmpty() ? new TreeMap<>() : started.get(0).settings();
    }

    @Override
    public Facts status() {
        Map<String, Object> all = new LinkedHashMap<>();
        started.forEach(role -> all.putAll(role.status().values()));
        return new Facts(all);
    }

    @Override
    public String address() {
        return endpoints().get(0).replaceFirst("https?://", "");
    }

    /** Front end first, so that no client is served by half a process; also after a start that failed half-way. */
    @Override
    public void close() {
        startup = Readiness.missing("it ends");
        AdminGate made = gate;
        if (made != null) {
            made.close();
        }
        if (isTold) {
            Deployment.remove(config.data());
        }
        for (int i = started.size() - 1; i >= 0; i--) {
            started.get(i).close();
        }
        FolderLock held = lock;
        if (held != null) {
            held.close();
        }
    }
}
