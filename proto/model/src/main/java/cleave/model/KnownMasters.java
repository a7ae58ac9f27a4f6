package cleave.model;

import cleave.wire.MapUpdate;
import cleave.wire.MasterList;
import java.util.List;

/**
 * The masters and their leader, as far as known to one process. Immutable.
 *
 * @param leader address of the master that leads; may be empty
 * @param version Raft index of the configuration that the addresses are of; 0 = they are not known
 * @param addresses of all masters
 */
public record KnownMasters(String leader, long version, List<String> addresses) {
    public static final KnownMasters NONE = new KnownMasters("", 0, List.of());

    public KnownMasters {
        addresses = List.copyOf(addresses);
    }

    /** These masters, or those of an update if that is newer. Updates come from several places, some of which lag. */
    public KnownMasters with(MapUpdate update) {
        MasterList list = update.getMasters();
        return with(new KnownMasters(update.getLeader(), list.getVersion(), list.getAddressesList()));
    }

    /** The newer of the two. */
    public KnownMasters with(KnownMasters told) {
        String newLeader = told.leader.isEmpty() ? leader : told.leader;
        return told.version > version
                ? new KnownMasters(newLeader, told.version, told.addresses)
                : new KnownMasters(newLeader, version, addresses);
    }

    /** Adds the masters to an update. */
    public MapUpdate.Builder into(MapUpdate.Builder update) {
        update.setLeader(leader);
        if (version != 0) {
            update.setMasters(MasterList.newBuilder().setVersion(version).addAllAddresses(addresses));
        }
        return update;
    }
}
