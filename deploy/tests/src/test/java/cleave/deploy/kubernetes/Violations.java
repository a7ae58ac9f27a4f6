package cleave.deploy.kubernetes;

import io.fabric8.kubernetes.api.model.ContainerPort;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The violations of rules that were found so far. Confined to one thread. */
final class Violations {
    private final List<String> found = new ArrayList<>();

    List<String> found() {
        return found;
    }

    void demand(boolean holds, Object where, String violation) {
        if (!holds) {
            found.add(where + ": " + violation);
        }
    }

    /** @param listens the ports on which a pod listens by its settings */
    void listening(Workload workload, Set<String> listens) {
        TreeSet<String> ports = workload.container().getPorts().stream()
                .map(ContainerPort::getContainerPort)
                .map(String::valueOf)
                .collect(Collectors.toCollection(TreeSet::new));
        demand(ports.equals(listens), workload, "its ports are " + ports + ", but its settings listen on " + listens);
    }
}
