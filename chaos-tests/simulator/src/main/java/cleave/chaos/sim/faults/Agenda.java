package cleave.chaos.sim.faults;

import cleave.chaos.sim.world.Dice;
import cleave.chaos.sim.world.World;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The faults of one run. Those that the seed draws are kept, with the states of the generators that chose whom they struck; or else
 * those of a list strike, at their times and with their states, and nothing is drawn. So a fault can be left out without a change of
 * what the others draw. A list of all faults that a seed drew repeats its run. Confined to the simulation.
 */
final class Agenda {
    private final World world;
    private final @Nullable List<Fault> given;
    private final List<Fault> kept = new ArrayList<>();

    /** @param given the faults of this run; null if the seed draws them */
    Agenda(World world, @Nullable List<Fault> given) {
        this.world = world;
        this.given = given == null ? null : List.copyOf(given);
    }

    boolean isGiven() {
        return given != null;
    }

    boolean has(FaultKind kind) {
        return given != null && given.stream().anyMatch(fault -> fault.kind() == kind);
    }

    /** What has struck, in order. */
    List<Fault> kept() {
        return List.copyOf(kept);
    }

    /** The share of a fault that lasts: the drawn one, or that of the list; 0 if it does not happen. */
    double lasting(FaultKind kind, double drawn) {
        double share = drawn;
        if (given != null) {
            share = given.stream()
                    .filter(fault -> fault.lasts() && fault.kind() == kind)
                    .mapToDouble(Fault::share)
                    .findFirst()
                    .orElse(0);
        }
        if (share > 0) {
            kept.add(Fault.lasting(kind, share));
        }
        return share;
    }

    /** The same for one that happens or does not. */
    boolean lasts(FaultKind kind, boolean drawn) {
        return lasting(kind, drawn ? 1 : 0) > 0;
    }

    static List<Long> states(List<Dice> dice) {
        return dice.stream().map(Dice::state).toList();
    }

    /** Keeps a fault that has just struck. */
    void struck(FaultKind kind, List<Long> states, String about) {
        kept.add(new Fault(world.now(), kind, 0, states, about));
        world.struck((kind + " " + about).strip());
    }

    /** Lets the faults of the list strike that one actor causes, each at its time, with its dice. */
    void replay(Predicate<FaultKind> whose, List<Dice> dice, Consumer<FaultKind> strike) {
        for (Fault fault : given == null ? List.<Fault>of() : given) {
            if (!fault.lasts() && whose.test(fault.kind())) {
                world.at(fault.nanos(), () -> {
                    for (int i = 0; i < Math.min(dice.size(), fault.dice().size()); i++) {
                        dice.get(i).set(fault.dice().get(i));
                    }
                    strike.accept(fault.kind());
                });
            }
        }
    }
}
