package cleave.deploy.kubernetes;

import cleave.deploy.engine.EngineFaults;
import io.fabric8.kubernetes.api.model.VolumeMount;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** The rules for the pods of ZooKeeper and BookKeeper, which have other settings than Cleave's roles. Confined to one thread. */
record EngineRules(Manifests manifests, Violations violations) {
    /** The time for a bookie that ends to write its memory to its ledgers. */
    static final long FLUSH_SECONDS = 60;

    private static final Set<String> COMPONENTS = Set.of("zookeeper", "bookie", "autorecovery");
    /** Settings whose folders must not lie on one volume: each is written in its own rhythm, and may fill up. */
    private static final List<List<String>> APART =
            List.of(List.of("journalDirectories", "ledgerDirectories"), List.of("dataDir", "dataLogDir"));

    static boolean knows(Workload workload) {
        return COMPONENTS.contains(workload.component());
    }

    void check(Workload workload, Map<String, String> settings) {
        violations.demand(
                workload.arguments(manifests).subList(0, 2).equals(List.of("engine", workload.component())),
                workload,
                "its label says " + workload.component() + ", but it runs another program");
        EngineFaults.fault(workload.component(), workload.name() + "-0", settings)
                .ifPresent(fault -> violations.demand(false, workload, fault));
        ports(workload, settings);
        folders(workload, settings);
        caches(workload, settings);
        long servers = settings.keySet().stream()
                .filter(key -> key.matches("server\\.\\d+"))
                .count();
        violations.demand(
                !workload.component().equals("zookeeper") || servers == workload.replicas(),
                workload,
                "its settings name " + servers + " servers, and there are " + workload.replicas() + " pods");
    }

    private void ports(Workload workload, Map<String, String> settings) {
        TreeSet<String> listens = new TreeSet<>();
        settings.forEach((key, value) -> {
            if (key.equals("bookiePort")) {
                listens.add(value);
            } else if (key.matches("server\\.\\d+")) {
                Stream.of(value.split("[:;]")).skip(1).forEach(listens::add);
            } else if (key.equals("admin.listen")) {
                violations.demand(value.startsWith("0.0.0.0:"), workload, "others do not reach " + key + "=" + value);
                listens.add(value.substring(value.lastIndexOf(':') + 1));
            }
        });
        violations.listening(workload, listens);
    }

    private void folders(Workload workload, Map<String, String> settings) {
        for (List<String> apart : APART) {
            TreeSet<String> volumes = new TreeSet<>();
            for (String key : apart) {
                if (settings.containsKey(key)) {
                    Optional<VolumeMount> mount = workload.mountOf(settings.get(key));
                    violations.demand(
                            mount.isPresent()
                                    && ManifestRules.isClaim(
                                            workload, mount.get().getName()),
                            workload,
                            "its folder " + key + "=" + settings.get(key) + " is not in a persistent volume");
                    mount.ifPresent(found -> violations.demand(
                            volumes.add(found.getName()), workload, String.join(" and ", apart) + " share a volume"));
                }
            }
        }
    }

    /** Caches are direct memory, and so is everything that is in flight. */
    private void caches(Workload workload, Map<String, String> settings) {
        long megabytes = Stream.of("dbStorage_writeCacheMaxSizeMb", "dbStorage_readAheadCacheMaxSizeMb")
                .mapToLong(key -> Long.parseLong(settings.getOrDefault(key, "0")))
                .sum();
        long direct = ManifestRules.flag(
                workload.environment(manifests).getOrDefault("CLEAVE_JAVA_OPTS", ""), "-XX:MaxDirectMemorySize=");
        violations.demand(
                2 * (megabytes << 20) <= direct, workload, "its caches take more than a half of its direct memory");
    }
}
