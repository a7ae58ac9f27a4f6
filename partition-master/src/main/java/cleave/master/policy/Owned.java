package cleave.master.policy;

import cleave.model.Incarnation;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * What the ranges of one owner weigh together, and which of them are in use: those that weigh more than an idle one. Not thread-safe.
 *
 * <p>They are put in order only when somebody asks for it, for there are more ranges whose weight changes in a tick than there are ranges
 * of servers that carry too much.
 */
final class Owned {
    final Incarnation owner;
    /** Each knows its place. */
    private final ArrayList<Tracked> inUse = new ArrayList<>();

    private boolean isInOrder = true;
    private double carried;
    private int count;

    Owned(Incarnation owner) {
        this.owner = owner;
    }

    double carried() {
        return carried;
    }

    boolean isEmpty() {
        return count == 0;
    }

    /** One more range counts here, with this weight. */
    void add(Tracked range, double weight) {
        count++;
        weigh(range, 0, weight);
    }

    void remove(Tracked range) {
        count--;
        weigh(range, range.weight, 0);
    }

    /** A range that counts here has another weight now. */
    void weigh(Tracked range, double before, double now) {
        carried += now - before;
        boolean wasInUse = range.place >= 0;
        boolean isInUse = now > Prediction.IDLE_WEIGHT;
        if (isInUse && !wasInUse) {
            range.place = inUse.size();
            inUse.add(range);
        } else if (!isInUse && wasInUse) {
            Tracked last = inUse.remove(inUse.size() - 1);
            if (last != range) {
                inUse.set(range.place, last);
                last.place = range.place;
            }
            range.place = Tracked.NOT_IN_USE;
        }
        isInOrder &= !wasInUse && !isInUse;
    }

    /** The ranges in use, the heaviest first. */
    List<Tracked> heaviestFirst() {
        if (!isInOrder) {
            inUse.sort(Tracked.HEAVIEST_FIRST);
            for (int i = 0; i < inUse.size(); i++) {
                inUse.get(i).place = i;
            }
            isInOrder = true;
        }
        return Collections.unmodifiableList(inUse);
    }
}
