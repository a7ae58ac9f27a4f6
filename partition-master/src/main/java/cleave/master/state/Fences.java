package cleave.master.state;

import cleave.model.Fence;
import cleave.model.Incarnation;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pcollections.TreePMap;

/**
 * The fences by which reads may be confirmed still: the newest one of each incarnation that is live and has one, or is dead and not known to
 * be fenced. Immutable.
 *
 * <p>Invariant I2: an incarnation uses a fence only after it was put here, and stops using it before it asks for the next one. It is put
 * here only while it lives, and stays when it dies. So from a death on it is known which file has to be sealed, and
 * {@link HandoffRule} refuses a takeover by one who has not sealed it.
 */
public final class Fences {
    static final Fences NONE = new Fences(TreePMap.empty());

    private final TreePMap<Incarnation, Fence> newest;

    private Fences(TreePMap<Incarnation, Fence> newest) {
        this.newest = newest;
    }

    static Fences of(Collection<Fence> all) {
        Fences fences = NONE;
        for (Fence each : all) {
            fences = fences.plus(each);
        }
        return fences;
    }

    /** In the order of the incarnations. */
    public Collection<Fence> all() {
        return newest.values();
    }

    /** The fence of an incarnation; null if it has none, or is known to be fenced. */
    public @Nullable Fence of(@Nullable Incarnation incarnation) {
        return incarnation == null ? null : newest.get(incarnation);
    }

    /** Those of dead incarnations: whoever takes a range over has to seal them, or that of the range's owner. */
    public List<Fence> ofDead(MasterState state) {
        List<Fence> dead = new ArrayList<>();
        for (Fence each : newest.values()) {
            if (!state.isLive(each.incarnation())) {
                dead.add(each);
            }
        }
        return dead;
    }

    Fences plus(Fence fence) {
        return fence.equals(newest.get(fence.incarnation()))
                ? this
                : new Fences(newest.plus(fence.incarnation(), fence));
    }

    Fences minus(Fence fence) {
        return fence.equals(newest.get(fence.incarnation())) ? new Fences(newest.minus(fence.incarnation())) : this;
    }

    /**
     * Without those of dead incarnations that own nothing, whose ranges others own with their consent, or after they were fenced. A range
     * without an owner may have been anybody's, so as long as there is one, all stay.
     */
    Fences needed(TreePMap<String, Server> live, Rows rows) {
        Fences left = this;
        for (Fence each : newest.values()) {
            Server server = live.get(each.incarnation().server());
            boolean isLive = server != null && server.incarnation().equals(each.incarnation());
            boolean isNeeded = isLive
                    || !rows.unowned().isEmpty()
                    || !rows.ownedBy(each.incarnation()).isEmpty();
            left = isNeeded ? left : left.minus(each);
        }
        return left;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Fences fences && newest.equals(fences.newest);
    }

    @Override
    public int hashCode() {
        return newest.hashCode();
    }

    @Override
    public String toString() {
        return newest.values().toString();
    }
}
