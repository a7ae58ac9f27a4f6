package cleave.deploy.admin;

import cleave.deploy.CommandFailure;
import cleave.deploy.terminal.TerminalCommand;
import cleave.runtime.rpc.Address;
import cleave.runtime.rpc.Advertised;
import cleave.wire.ChangeMastersRequest;
import cleave.wire.GroupMember;
import cleave.wire.MasterPeer;
import cleave.wire.StatusReply;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** {@code cleave admin masters}: which masters are the members of the cluster. */
@Command(
        name = "masters",
        mixinStandardHelpOptions = true,
        header = "found a cluster; list, add, remove and replace its masters",
        subcommands = {
            FoundCommand.class,
            GroupCommand.ListMembers.class,
            GroupCommand.Add.class,
            GroupCommand.Remove.class,
            GroupCommand.Replace.class
        })
final class GroupCommand extends TerminalCommand implements Runnable {
    private static final String NEW_MASTER = "ID=RAFT=RPC";
    private static final String NEW_MASTER_HELP =
            "its master.id, the address of its Raft service and that of its gRPC services, as other machines reach them";
    private static final String MEMBER_HELP = "its id, or its name (MEMBER) if two members have that id";

    @Override
    public void run() {
        throw new ParameterException(line(), "say what: found, list, add, remove or replace");
    }

    @Command(
            name = "list",
            mixinStandardHelpOptions = true,
            header = "the masters: addresses, roles and replication lag",
            description = {
                "ROLE is the leader's view: UNKNOWN has not answered for 3 seconds, JOINING is catching up and does not vote yet."
                        + " BEHIND counts log entries. MEMBER is the master's name in the Raft group; a master that joins again"
                        + " gets a new one, so that its former state never counts."
            })
    static final class ListMembers extends AdminAction {
        @Option(names = "--json", description = "as JSON")
        private boolean json;

        @Override
        void act(AdminClient client) {
            StatusReply status = client.status();
            mustPrint(json ? StatusText.leaderJson(status) : StatusText.masters(status));
        }
    }

    @Command(
            name = "add",
            mixinStandardHelpOptions = true,
            header = "add a master that was started with an empty folder",
            description = {
                "The new master catches up first and then becomes a voting member. It needs no master.peers, unless it"
                        + " listens on all addresses and its machine's name is of no use to others. Only one change runs at a time; if the command is repeated, it continues the change or reports that it is done."
            },
            footer = {"EXAMPLE", "", "  cleave admin masters add m4=10.0.0.4:10101=10.0.0.4:10100"})
    static final class Add extends AdminAction {
        @Parameters(paramLabel = NEW_MASTER, description = NEW_MASTER_HELP)
        private String added = "";

        @Override
        void act(AdminClient client) {
            GroupMember master = read(() -> newMaster(added));
            change(client, () -> {
                client.change(ChangeMastersRequest.newBuilder().setIn(master).build());
                return "Master " + master.getId() + " is a member.\n" + StatusText.masters(client.status());
            });
        }
    }

    @Command(
            name = "remove",
            mixinStandardHelpOptions = true,
            header = "remove a master, which may be the leader or down",
            description = {
                "If it leads, another master takes over first. The removed master moves its former state aside within its folder"
                        + " and is blank: it can be stopped, or added again. Refused if no majority would be left."
            })
    static final class Remove extends AdminAction {
        @Parameters(paramLabel = "MASTER", description = MEMBER_HELP)
        private String removed = "";

        @Override
        void act(AdminClient client) {
            change(client, () -> {
                MasterPeer master = member(client.status(), removed);
                client.change(ChangeMastersRequest.newBuilder()
                        .setOut(master.getMember())
                        .build());
                return "Master " + master.getId() + " is no longer a member.\n" + StatusText.masters(client.status());
            });
        }
    }

    @Command(
            name = "replace",
            mixinStandardHelpOptions = true,
            header = "replace a master with another, or with itself on an empty folder or another address",
            description = {
                "Removes one and adds the other in one change, so it works with one of three masters down. Start the new one"
                        + " first. A master that lost its disk, or whose address has changed, is replaced with itself and"
                        + " catches up from the others; its former state is moved aside within its folder."
            },
            footer = {
                "EXAMPLES",
                "",
                "  cleave admin masters replace m2 m4=10.0.0.4:10101=10.0.0.4:10100",
                "  cleave admin masters replace m2 m2=10.0.0.9:10101=10.0.0.9:10100"
            })
    static final class Replace extends AdminAction {
        @Parameters(index = "0", paramLabel = "MASTER", description = MEMBER_HELP)
        private String replaced = "";

        @Parameters(index = "1", paramLabel = NEW_MASTER, description = NEW_MASTER_HELP)
        private String added = "";

        @Override
        void act(AdminClient client) {
            GroupMember master = read(() -> newMaster(added));
            change(client, () -> {
                MasterPeer old = member(client.status(), replaced);
                client.change(ChangeMastersRequest.newBuilder()
                        .setOut(old.getMember())
                        .setIn(master)
                        .build());
                return "Master " + master.getId() + " is a member in place of " + old.getMember() + ".\n"
                        + StatusText.masters(client.status());
            });
        }
    }

    /** IllegalArgumentException if that is none. */
    static GroupMember newMaster(String text) {
        String[] parts = text.split("=", -1);
        if (parts.length != 3 || parts[0].isBlank() || parts[0].contains("#")) {
            throw new IllegalArgumentException("'" + text + "' is not " + NEW_MASTER
                    + ", the id of a master with its two addresses: m4=10.0.0.4:10101=10.0.0.4:10100");
        }
        for (int i = 1; i < parts.length; i++) {
            if (Address.parse(parts[i]).authority() != null && i == 1) {
                throw new IllegalArgumentException("'" + parts[i] + "' is no Raft address, which is host:port");
            }
            if (Advertised.isWildcard(parts[i])) {
                throw new IllegalArgumentException(
                        "'" + parts[i] + "' is no address that the other masters can reach: name the machine of "
                                + parts[0] + " there");
            }
        }
        return GroupMember.newBuilder()
                .setId(parts[0])
                .setRaft(parts[1])
                .setRpc(parts[2])
                .build();
    }

    /** The one member of that name or id. */
    static MasterPeer member(StatusReply status, String named) {
        List<MasterPeer> exact = status.getPeersList().stream()
                .filter(peer -> peer.getMember().equals(named))
                .toList();
        List<MasterPeer> found = exact.isEmpty()
                ? status.getPeersList().stream()
                        .filter(peer -> peer.getId().equals(named))
                        .toList()
                : exact;
        List<String> all =
                status.getPeersList().stream().map(MasterPeer::getMember).toList();
        if (found.isEmpty()) {
            throw CommandFailure.usage("there is no master " + named + "; there are " + String.join(", ", all));
        }
        if (found.size() > 1) {
            throw CommandFailure.usage("two members are master " + named + "; say which: " + String.join(", ", all));
        }
        return found.get(0);
    }
}
