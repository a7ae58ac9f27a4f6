package cleave.deploy.cluster;

import cleave.deploy.CommandFailure;
import cleave.deploy.role.ListenAddress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiFunction;

/**
 * Chooses ports that processes keep over restarts. Confined to one thread.
 *
 * <p>They lie below the system's ephemeral ports: an outgoing connection could take one of those while a process is down, and the process
 * could then not come back. Until this is closed, the UDP port of the same number is bound. That shows others that choose ports at the same
 * time, also in other processes, which ones are given away but not in use yet.
 */
public final class Ports implements AutoCloseable {
    private static final int LEAST = 15_000;
    private static final int END = 32_000;

    private final String host;
    private final Random random;
    private final TreeSet<Integer> chosen = new TreeSet<>();
    private final List<DatagramSocket> claims = new ArrayList<>();

    /** Ports of 127.0.0.1. */
    public Ports() {
        this("127.0.0.1", new Random(System.nanoTime() ^ ProcessHandle.current().pid()));
    }

    Ports(String host, Random random) {
        this.host = host;
        this.random = random;
    }

    /** The ports of all nodes; front ends serve on the first one and those that follow, or anywhere if it is 0. */
    public SortedMap<String, Integer> choose(SortedMap<NodeId.Role, Integer> counts, int firstFrontEnd) {
        return forEach(counts, (node, purpose) -> {
            boolean given = node.role() == NodeId.Role.FRONT_END && purpose.equals("port") && firstFrontEnd != 0;
            return given ? demand(firstFrontEnd + node.number() - 1) : free();
        });
    }

    /** Placeholders for a layout that is examined before ports are chosen; nobody can listen on them. */
    static SortedMap<String, Integer> notChosen(SortedMap<NodeId.Role, Integer> counts) {
        return forEach(counts, (node, purpose) -> 1);
    }

    private static SortedMap<String, Integer> forEach(
            SortedMap<NodeId.Role, Integer> counts, BiFunction<NodeId, String, Integer> port) {
        TreeMap<String, Integer> ports = new TreeMap<>();
        counts.forEach((role, count) -> {
            for (int number = 1; number <= count; number++) {
                NodeId node = new NodeId(role, number);
                role.purposes().forEach(purpose -> ports.put(node + "." + purpose, port.apply(node, purpose)));
            }
        });
        return ports;
    }

    private int demand(int port) {
        if (!isFree(port)) {
            throw CommandFailure.taken("port " + port
                    + " is in use; give another first port for front ends with --port (0: any free one)");
        }
        chosen.add(port);
        return port;
    }

    /** A port that nobody listens on, other than those given before. */
    public int free() {
        for (int tries = 0; tries < END - LEAST; tries++) {
            int port = LEAST + random.nextInt(END - LEAST);
            if (!chosen.contains(port) && isFree(port) && claim(port)) {
                chosen.add(port);
                return port;
            }
        }
        throw CommandFailure.taken("no free port found from " + LEAST + " to " + (END - 1));
    }

    private boolean claim(int port) {
        try {
            claims.add(new DatagramSocket(new InetSocketAddress(host, port)));
            return true;
        } catch (SocketException claimed) {
            return false;
        }
    }

    @Override
    public void close() {
        claims.forEach(DatagramSocket::close);
    }

    private boolean isFree(int port) {
        try {
            return new ListenAddress(host, port).isFree();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
