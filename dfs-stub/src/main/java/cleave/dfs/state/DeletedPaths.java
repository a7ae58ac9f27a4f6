package cleave.dfs.state;

import java.util.Map;
import org.pcollections.TreePMap;
import org.pcollections.TreePSet;

/**
 * The paths that are refused because they were deleted, folded: of each server the incarnation that came last and which ordinals
 * of it are over; all incarnations before it are over as a whole. Immutable. Decision 11 says why that is sound.
 *
 * <p>A file that lives is not asked about here: it may lie inside of what is over, and is refused from its own deletion on.
 *
 * <p>Invariant: a path that was deleted is contained forever.
 *
 * @param servers by server id
 * @param others deleted paths whose names have no numbers, one by one
 */
public record DeletedPaths(TreePMap<String, Ended> servers, TreePSet<String> others) {
    public static final DeletedPaths NONE = new DeletedPaths(TreePMap.empty(), TreePSet.empty());

    /** More gaps are not kept for one server: the lowest is closed, and its names are over too. */
    private static final int INTERVALS_MAX = 256;

    /**
     * The files of one server that are over. Immutable.
     *
     * @param latest its last known incarnation; those before it are over
     * @param ordinals of the latest incarnation's files
     */
    public record Ended(long latest, IdIntervals ordinals) {}

    public boolean contains(String path) {
        NumberedName name = NumberedName.of(path);
        if (name == null) {
            return others.contains(path);
        }
        Ended ended = servers.get(name.server());
        if (ended == null || name.incarnation() > ended.latest()) {
            return false;
        }
        return name.incarnation() < ended.latest() || ended.ordinals().contains(name.ordinal());
    }

    /** A file was created: what its server made in earlier incarnations is over. */
    DeletedPaths afterCreating(String path) {
        NumberedName name = NumberedName.of(path);
        if (name == null) {
            return this;
        }
        Ended known = servers.get(name.server());
        boolean isNews = known == null || known.latest() < name.incarnation();
        return isNews ? with(name, IdIntervals.EMPTY) : this;
    }

    public DeletedPaths plus(String path) {
        NumberedName name = NumberedName.of(path);
        if (name == null) {
            return new DeletedPaths(servers, others.plus(path));
        }
        Ended known = servers.get(name.server());
        if (known == null || known.latest() < name.incarnation()) {
            return with(name, IdIntervals.EMPTY.plus(name.ordinal()));
        }
        return known.latest() > name.incarnation() ? this : with(name, bounded(known.ordinals(), name.ordinal()));
    }

    private static IdIntervals bounded(IdIntervals ordinals, long more) {
        IdIntervals grown = ordinals.plus(more);
        return grown.lastByFirst().size() > INTERVALS_MAX ? grown.withoutLowestGap() : grown;
    }

    private DeletedPaths with(NumberedName name, IdIntervals ordinals) {
        return with(name.server(), name.incarnation(), ordinals);
    }

    /** Adds what a checkpoint says about one server. */
    public DeletedPaths with(String server, long latest, IdIntervals ordinals) {
        return new DeletedPaths(servers.plus(server, new Ended(latest, ordinals)), others);
    }

    /** How many intervals and paths are kept. */
    public int size() {
        int intervals = 0;
        for (Map.Entry<String, Ended> server : servers.entrySet()) {
            intervals += server.getValue().ordinals().lastByFirst().size();
        }
        return servers.size() + intervals + others.size();
    }
}
