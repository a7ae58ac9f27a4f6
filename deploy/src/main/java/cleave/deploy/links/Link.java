package cleave.deploy.links;

import java.util.Comparator;

/** What connects two processes of a local cluster, by their names such as {@code server-1}. It is the same from either end. Immutable. */
public record Link(String one, String other) implements Comparable<Link> {
    private static final Comparator<Link> ORDER =
            Comparator.comparing(Link::one).thenComparing(Link::other);

    public Link {
        if (one.equals(other)) {
            throw new IllegalArgumentException(one + " has no link to itself");
        }
        if (one.compareTo(other) > 0) {
            String first = other;
            other = one;
            one = first;
        }
    }

    @Override
    public int compareTo(Link link) {
        return ORDER.compare(this, link);
    }
}
