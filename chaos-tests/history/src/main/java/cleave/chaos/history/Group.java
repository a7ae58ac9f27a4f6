package cleave.chaos.history;

import java.util.List;

/**
 * Entities of one partition that must be checked together, with all operations on them. Immutable.
 *
 * @param entities in order; moves refer to them by index
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

    /** The name of its entity, or of its partition if it has several. */
    String name() {
        EntityKey first = entities.get(0);
        return entities.size() == 1 ? first.toString() : first.table() + "/" + first.partition();
    }
}
