package cleave.deploy.links;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Where the processes of a local cluster serve, and which links between them are cut. Immutable.
 *
 * <p>A link is between two processes, whichever of them connects to the other: what is cut lets nothing pass in either direction.
 *
 * @param nodes the names of processes by the addresses that they serve at; a process may have several
 * @param cut the links that are cut
 */
record LinkTable(SortedMap<String, String> nodes, SortedSet<Link> cut) {
    private static final String NODE = "node";
    private static final String CUT = "cut";

    LinkTable {
        nodes = Collections.unmodifiableSortedMap(new TreeMap<>(nodes));
        cut = Collections.unmodifiableSortedSet(new TreeSet<>(cut));
        for (Link link : cut) {
            refuseUnknown(nodes, link.one());
            refuseUnknown(nodes, link.other());
        }
    }

    private static void refuseUnknown(Map<String, String> nodes, String name) {
        if (!nodes.containsValue(name)) {
            throw new IllegalArgumentException("no process is called '" + name + "'");
        }
    }

    /** With no link cut. */
    static LinkTable of(Map<String, String> nodes) {
        return new LinkTable(new TreeMap<>(nodes), new TreeSet<>());
    }

    /** The process that serves at an address; empty if it is none of this cluster. */
    Optional<String> at(String address) {
        return Optional.ofNullable(nodes.get(address));
    }

    boolean isCut(String one, String other) {
        return !one.equals(other) && cut.contains(new Link(one, other));
    }

    /** With the links between a process and others cut, besides those that are. */
    LinkTable cutting(String one, Collection<String> others) {
        TreeSet<Link> more = new TreeSet<>(cut);
        others.forEach(other -> more.add(new Link(one, other)));
        return new LinkTable(nodes, more);
    }

    /** With the links between a process and others whole. */
    LinkTable healing(String one, Collection<String> others) {
        TreeSet<Link> fewer = new TreeSet<>(cut);
        others.forEach(other -> fewer.remove(new Link(one, other)));
        return new LinkTable(nodes, fewer);
    }

    /** With all links whole. */
    LinkTable healed() {
        return of(nodes);
    }

    /** Its form in a file: {@code node ADDRESS NAME} and {@code cut NAME NAME}, a line each. */
    String text() {
        List<String> lines = new ArrayList<>();
        nodes.forEach((address, name) -> lines.add(NODE + " " + address + " " + name));
        cut.forEach(link -> lines.add(CUT + " " + link.one() + " " + link.other()));
        return String.join("\n", lines) + "\n";
    }

    /** The table of a file. IllegalArgumentException, with the line, if it is none. */
    static LinkTable parse(String text) {
        TreeMap<String, String> nodes = new TreeMap<>();
        TreeSet<Link> cut = new TreeSet<>();
        for (String line : text.lines().toList()) {
            String[] words = line.split(" ", -1);
            if (words.length != 3 || !(words[0].equals(NODE) || words[0].equals(CUT))) {
                throw new IllegalArgumentException("'" + line + "' is neither a node nor a cut");
            }
            if (words[0].equals(NODE)) {
                nodes.put(words[1], words[2]);
            } else {
                cut.add(new Link(words[1], words[2]));
            }
        }
        return new LinkTable(nodes, cut);
    }
}
