package cleave.master.policy;

import cleave.master.state.MasterState;
import cleave.model.Incarnation;
import cleave.model.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The goal that a draining server owns no ranges. Immutable. It is also reached when the server no longer drains. */
public final class DrainGoal implements Goal {
    private final Incarnation server;
    private final Function<MasterState, @Nullable Incarnation> taker;

    /** @param taker supplies the server that gets the next range, or null if there is none; called for each plan */
    public DrainGoal(Incarnation server, Function<MasterState, @Nullable Incarnation> taker) {
        this.server = server;
        this.taker = taker;
    }

    @Override
    public Next next(MasterState state) {
        if (!state.isDraining(server) || state.rows().ownedBy(server).isEmpty()) {
            return Next.reached();
        }
        Incarnation to = taker.apply(state);
        if (to == null) {
            return Next.later("there is no server for the ranges of " + server);
        }
        List<HandoffPlan> plans = new ArrayList<>();
        for (long range : state.rows().ownedBy(server)) {
            Row row = state.rows().row(range);
            if (row != null) {
                plans.add(HandoffPlan.move(row, to));
            }
        }
        return Next.plans(plans);
    }

    @Override
    public boolean concerns(Row row) {
        return server.equals(row.owner());
    }

    @Override
    public String toString() {
        return "drain " + server;
    }
}
