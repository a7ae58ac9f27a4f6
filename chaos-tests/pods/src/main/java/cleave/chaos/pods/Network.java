package cleave.chaos.pods;

import java.io.IOException;

/**
 * The network of one node: a namespace and an address for each pod, with routes between them through this process's
 * namespace, which must be private. Confined to its owner.
 *
 * <p>Addresses are never reused. Packets to a released address are dropped, as on a node whose pods are gone.
 */
final class Network {
    /** The node's own address, from which it probes pods, and their gateway. */
    static final String NODE = "10.96.0.1";

    /** The DNS server of pods. */
    static final String NAMES = "10.96.0.10";

    private static final int FIRST_SERVICE = 20;
    private static final int PODS_PER_BLOCK = 250;

    private int pods;
    private int services;

    /** A pod's end of the network. Immutable. */
    record Link(String namespace, String device, String address) {}

    /** Prepares the namespace of this process. Only this process and its children see the names of namespaces. */
    static Network make() throws IOException {
        Shell.script("mkdir -p /run/netns\n"
                + "mount -t tmpfs netns /run/netns\n"
                + "ip link set lo up\n"
                + "echo 1 > /proc/sys/net/ipv4/ip_forward\n"
                + "ip address add " + NODE + "/32 dev lo\n"
                + "ip address add " + NAMES + "/32 dev lo\n");
        return new Network();
    }

    Link attach() throws IOException {
        int number = pods++;
        Link link = new Link(
                "pod" + number,
                "pod" + number,
                "10.244." + number / PODS_PER_BLOCK + "." + (1 + number % PODS_PER_BLOCK));
        String inside = "ip -n " + link.namespace();
        Shell.script("ip netns add " + link.namespace() + "\n"
                + "ip link add " + link.device() + " type veth peer name eth0 netns " + link.namespace() + "\n"
                + inside + " link set lo up\n"
                + inside + " address add " + link.address() + "/32 dev eth0\n"
                + inside + " link set eth0 up\n"
                + inside + " route add " + NODE + " dev eth0 scope link\n"
                + inside + " route add default via " + NODE + "\n"
                + "ip link set " + link.device() + " up\n"
                + "ip route add " + link.address() + "/32 dev " + link.device() + " src " + NODE + "\n");
        return link;
    }

    /** Drops all packets to and from the pod from now on, including those that close its connections. */
    void cut(Link link) throws IOException {
        Shell.script(
                "ip route replace blackhole " + link.address() + "/32\n" + "ip link set " + link.device() + " down\n");
    }

    /** Releases the pod's address. */
    void detach(Link link) throws IOException {
        Shell.script("ip route replace blackhole " + link.address() + "/32\n"
                + "ip netns delete " + link.namespace() + "\n"
                + "ip link delete " + link.device() + " 2>/dev/null || true\n");
    }

    /** An address of this node for a Service. */
    String serviceAddress() throws IOException {
        String address = "10.96.0." + (FIRST_SERVICE + services++);
        Shell.run("ip", "address", "add", address + "/32", "dev", "lo");
        return address;
    }
}
