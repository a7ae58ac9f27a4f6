package cleave.server.range;

import cleave.runtime.loop.EventLoop;
import cleave.server.range.RangeState.Action;
import cleave.server.range.RangeState.Event;
import cleave.server.range.RangeState.Phase;
import cleave.server.range.RangeState.Transition;
import java.util.function.BooleanSupplier;

/**
 * Keeps the {@link RangeState} of one range for all of its parts: they report events to it, and the range carries out the actions, one
 * after the other. The state may be read on any thread; all else is confined to the range's loop.
 */
final class StateMachine {
    private final EventLoop loop;
    private final Carrier carrier;
    private final BooleanSupplier isDrained;
    private volatile RangeState state = RangeState.ARRIVING;

    /** Carries out the actions. */
    interface Carrier {
        void carryOut(Action action, Event event, String why);
    }

    /** @param isDrained true if the work has ended that {@link Phase#ROLLING} or {@link Phase#DRAINING} waits for */
    StateMachine(EventLoop loop, Carrier carrier, BooleanSupplier isDrained) {
        this.loop = loop;
        this.carrier = carrier;
        this.isDrained = isDrained;
    }

    RangeState state() {
        return state;
    }

    Phase phase() {
        return state.phase();
    }

    boolean isClosed() {
        return state.isClosed();
    }

    void on(Event event) {
        on(event, "");
    }

    /** Handles an event: changes the state and has the actions carried out. */
    void on(Event event, String why) {
        loop.assertInside();
        Transition<RangeState> next = state.on(event);
        state = next.to();
        for (Action action : next.actions()) {
            carrier.carryOut(action, event, why);
        }
        advance();
    }

    /** Called when something has ended that a phase may wait for. */
    void advance() {
        loop.assertInside();
        boolean isDraining = phase() == Phase.ROLLING || phase() == Phase.DRAINING;
        if (isDraining && isDrained.getAsBoolean()) {
            on(Event.DRAINED);
        }
    }
}
