package cleave.chaos.pods;

import cleave.deploy.kubernetes.Manifests;
import cleave.deploy.links.TcpProxy;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServicePort;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The Services of the manifests. Thread-safe.
 *
 * <p>A headless Service is a name for the addresses of its pods. Any other has its own address, where a proxy forwards
 * each new connection to the next pod that is known to be ready; existing connections stay.
 */
final class Services implements Closeable {
    static final String DOMAIN = "svc.cluster.local";

    private final String suffix;
    private final Supplier<List<Pod>> pods;
    private final Map<String, Service> services = new TreeMap<>();
    private final Map<String, String> addresses = new TreeMap<>();
    private final List<TcpProxy> proxies = new ArrayList<>();
    private final AtomicInteger turn = new AtomicInteger();

    private Services(String namespace, Supplier<List<Pod>> pods) {
        this.suffix = "." + namespace + "." + DOMAIN;
        this.pods = pods;
    }

    /** @param pods all pods that have not ended */
    static Services start(Manifests manifests, String namespace, Network network, Supplier<List<Pod>> pods)
            throws IOException {
        Services started = new Services(namespace, pods);
        for (Service service : manifests.all(Service.class)) {
            String name = service.getMetadata().getName();
            started.services.put(name, service);
            if (!"None".equals(service.getSpec().getClusterIP())) {
                String address = network.serviceAddress();
                started.addresses.put(name, address);
                for (ServicePort port : service.getSpec().getPorts()) {
                    started.proxies.add(TcpProxy.start(
                            InetAddress.getByName(address), port.getPort(), () -> started.next(service, port)));
                }
            }
        }
        return started;
    }

    private @Nullable InetSocketAddress next(Service service, ServicePort port) {
        List<Pod> ready = selected(service).stream().filter(Pod::isPublished).toList();
        if (ready.isEmpty()) {
            return null;
        }
        Pod pod = ready.get(Math.floorMod(turn.getAndIncrement(), ready.size()));
        return new InetSocketAddress(pod.link().address(), pod.plan().port(port.getTargetPort(), port.getPort()));
    }

    private List<Pod> selected(Service service) {
        return pods.get().stream()
                .filter(pod -> pod.plan()
                        .labels()
                        .entrySet()
                        .containsAll(service.getSpec().getSelector().entrySet()))
                .toList();
    }

    /** The addresses of a name; null if there is no such name. */
    @Nullable
    List<String> lookup(String name) {
        if (!name.endsWith(suffix)) {
            return null;
        }
        String[] labels = name.substring(0, name.length() - suffix.length()).split("\\.");
        String serviceName = labels[labels.length - 1];
        Service service = services.get(serviceName);
        if (service == null || labels.length > 2) {
            return null;
        }
        if (labels.length == 1 && addresses.containsKey(serviceName)) {
            return List.of(addresses.get(serviceName));
        }
        boolean all = Boolean.TRUE.equals(service.getSpec().getPublishNotReadyAddresses());
        List<String> found = selected(service).stream()
                .filter(pod -> all || pod.isPublished())
                .filter(pod -> labels.length == 1
                        || (pod.name().equals(labels[0])
                                && serviceName.equals(pod.plan().domain())))
                .map(pod -> pod.link().address())
                .toList();
        return found.isEmpty() ? null : found;
    }

    @Override
    public void close() throws IOException {
        for (TcpProxy proxy : proxies) {
            proxy.close();
        }
    }
}
