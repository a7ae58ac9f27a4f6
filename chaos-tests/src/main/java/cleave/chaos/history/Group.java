package cleave.chaos.history;

import java.util.List;

/**
 * Entities of one partition that must be judged together, and all that was done with them. Immutable.
 *
 * @param entities in order; moves name them by their place
 */
record Group(List<EntityKey> entities, List<Move> moves) {
    Group {
        entities = List.copyOf(entities);
        moves = List.copyOf(moves);
    }

    Linearization search(int configurationsMax) {
        return new Linearization(moves, entities.size(), configurationsMax);
    }

    Group with(List<Move> others) {
        return new Group(entities, others);
    }

    /** Its entity, or its partition if it has several. */
    String name() {
        EntityKey first = entities.get(0);
        return entities.size() == 1 ? first.toString() : first.table() + "/" + first.partition();
    }
}
