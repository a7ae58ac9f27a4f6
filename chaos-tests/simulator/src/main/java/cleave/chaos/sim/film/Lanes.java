package cleave.chaos.sim.film;

import java.util.ArrayList;
import java.util.List;

/** Puts what lasts for a while into lanes, so that in no lane one begins before another has ended. Confined to its caller. */
final class Lanes {
    static final long FOREVER = Long.MAX_VALUE;

    private final List<Long> ends = new ArrayList<>();

    /** The first free lane, from 0; called in the order of the beginnings. */
    int lane(long begins, long ends) {
        int lane = 0;
        while (lane < this.ends.size() && this.ends.get(lane) >= begins) {
            lane++;
        }
        if (lane == this.ends.size()) {
            this.ends.add(ends);
        } else {
            this.ends.set(lane, ends);
        }
        return lane;
    }
}
