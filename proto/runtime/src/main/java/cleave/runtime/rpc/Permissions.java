package cleave.runtime.rpc;

import static cleave.runtime.tls.PeerRole.ADMIN;
import static cleave.runtime.tls.PeerRole.FRONT_END;
import static cleave.runtime.tls.PeerRole.MASTER;
import static cleave.runtime.tls.PeerRole.SERVER;
import static cleave.runtime.tls.PeerRole.VIEWER;

import cleave.runtime.tls.PeerRole;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** The roles that may call a method, with mutual TLS. Nobody may call a method that is not in the table. */
final class Permissions {
    private static final Map<String, Set<PeerRole>> CALLERS = new HashMap<>();

    static {
        permit("Master/Register", SERVER);
        permit("Master/Heartbeat", SERVER);
        permit("Master/Publish", SERVER);
        permit("Master/CommitHandoff", SERVER);
        permit("Master/ArmFence", SERVER);
        permit("Master/AllocateTableIds", FRONT_END);
        permit("Master/DropTable", FRONT_END);
        permit("Master/SupportedLevels", MASTER);

        permit("MasterGroup/Found", ADMIN);
        permit("MasterGroup/Join", MASTER);
        permit("MasterGroup/ListMembers", MASTER);

        permit("MapWatch/Watch", SERVER, FRONT_END);

        permit("Admin/GetStatus", ADMIN, VIEWER, SERVER); // A server that ends has itself drained.
        permit("Admin/Drain", ADMIN, SERVER);
        permit("Admin/Split", ADMIN);
        permit("Admin/Merge", ADMIN);
        permit("Admin/Move", ADMIN);
        permit("Admin/CancelHandoff", ADMIN);
        permit("Admin/ListHandoffs", ADMIN, VIEWER);
        permit("Admin/ListEvents", ADMIN, VIEWER);
        permit("Admin/ListActs", ADMIN, VIEWER);
        permit("Admin/ChangeMasters", ADMIN);
        permit("Admin/ListSettings", ADMIN, VIEWER);
        permit("Admin/ChangeSettings", ADMIN);
        permit("Admin/Restore", ADMIN);

        permit("Ranges/Read", FRONT_END, MASTER); // Masters keep the registry when they drop a table.
        permit("Ranges/Write", FRONT_END, MASTER);
        permit(
                "Ranges/Scan",
                FRONT_END,
                SERVER); // Servers read the registry for the names of the tables that they store.
        permit("Ranges/Exchange", FRONT_END);
        permit("Ranges/Drop", MASTER);
        permit("Ranges/Handoff", MASTER);
        permit("Ranges/CancelHandoff", MASTER);
        permit("Ranges/Prepare", SERVER);
        permit("Ranges/Finish", SERVER);

        // Masters write and seal the cluster's identity; admins read for a backup, and write and seal for a restore.
        permit("DfsStub/Stream", SERVER, MASTER, ADMIN);
        permit("DfsStub/Fence", SERVER, MASTER, ADMIN);
        permit("DfsStub/DropExtents", SERVER, MASTER);
        permit("DfsStub/ReadExtent", SERVER, MASTER, ADMIN);
        permit("DfsStub/VisibleLengths", SERVER, MASTER, ADMIN);
        permit("DfsStub/Names", SERVER, MASTER, ADMIN);
        permit("DfsStub/LookUp", SERVER, MASTER, ADMIN);
        permit("DfsStub/ListFiles", SERVER, MASTER, ADMIN);
        permit("DfsStub/Probe", SERVER, MASTER);
        permit("DfsStub/Space", SERVER, MASTER);
    }

    private Permissions() {}

    /** @param method {@code Service/Method} */
    private static void permit(String method, PeerRole first, PeerRole... more) {
        CALLERS.put("cleave.wire." + method, EnumSet.of(first, more));
    }

    /** The full names of all methods in the table. */
    static Set<String> methods() {
        return Collections.unmodifiableSet(CALLERS.keySet());
    }

    /** The roles that may call a method, by its full name. */
    static Set<PeerRole> callers(String method) {
        return CALLERS.getOrDefault(method, Set.of());
    }
}
