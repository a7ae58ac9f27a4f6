package cleave.deploy.cluster;

import cleave.client.Endpoint;
import cleave.deploy.CommandFailure;
import cleave.deploy.access.Deployment;
import cleave.deploy.access.OwnersFile;
import cleave.deploy.access.TableAccount;
import cleave.deploy.role.GivenSettings;
import cleave.deploy.role.ListenAddress;
import cleave.deploy.role.SettingsCheck;
import cleave.runtime.files.FileProblem;
import cleave.runtime.tls.PeerRole;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The options of a local cluster; those that were left open are null. Immutable.
 *
 * <p>The first time they become the layout that the folder keeps. After that the folder's layout stands, since data and ports are bound to
 * it: a plan for another is refused.
 */
record ClusterPlan(
        Path dir,
        @Nullable Integer masters,
        @Nullable Integer servers,
        @Nullable Integer frontEnds,
        DfsPlan dfs,
        @Nullable Integer port,
        @Nullable String host,
        @Nullable Path accounts,
        boolean developmentAccount,
        boolean board,
        List<String> settings) {
    private static final int KEY_BYTES = 64;

    ClusterPlan {
        dir = dir.toAbsolutePath().normalize();
        settings = List.copyOf(settings);
        if (masters != null && masters % 2 == 0) {
            throw CommandFailure.usage("masters decide by majority: 1, 3 or 5 of them, not " + masters
                    + " (an even number survives no more failures than one less)");
        }
    }

    /**
     * The layout to start, saved, with the configuration of every process written. Settings with which a process would not start are refused
     * before ports are looked for and anything is written, so that the folder can be used with others.
     */
    Layout settle() {
        if (Layout.exists(dir)) {
            Layout kept = Layout.load(dir);
            refuseOther(kept);
            deployment(kept).deployment().save(dir);
            return kept;
        }
        check();
        String accountsText = accountsText();
        Layout made = withPorts(shape());
        NodeSettings written = settingsOf(made);
        OwnersFile.write(accountsFile(), accountsText);
        nodesOfCleave(made).forEach(written::write);
        made.save();
        deployment(made).deployment().save(dir);
        return made;
    }

    /** Refuses a plan that cannot become a cluster. Changes nothing. */
    void check() {
        if (!Layout.exists(dir)) {
            Layout shape = shape();
            NodeSettings checked = settingsOf(shape);
            nodesOfCleave(shape).forEach(node -> SettingsCheck.check(peerRole(node.role()), checked.of(node)));
            accountsText();
        }
    }

    NodeSettings settingsOf(Layout layout) {
        return new NodeSettings(layout, accountsFile(), GivenSettings.ofAssignments(settings));
    }

    private static List<NodeId> nodesOfCleave(Layout layout) {
        return layout.nodes().stream().filter(node -> node.role().hasSettings()).toList();
    }

    static PeerRole peerRole(NodeId.Role role) {
        return switch (role) {
            case DFS -> PeerRole.DFS;
            case MASTER -> PeerRole.MASTER;
            case SERVER -> PeerRole.SERVER;
            case FRONT_END -> PeerRole.FRONT_END;
            case ZOOKEEPER, BOOKIE, AUTORECOVERY, BOARD -> throw new IllegalArgumentException(role.toString());
        };
    }

    private Layout shape() {
        TreeMap<NodeId.Role, Integer> counts = new TreeMap<>();
        counts.put(NodeId.Role.MASTER, masters == null ? 3 : masters);
        counts.put(NodeId.Role.SERVER, servers == null ? 3 : servers);
        counts.put(NodeId.Role.FRONT_END, frontEnds == null ? 2 : frontEnds);
        dfs.putInto(counts);
        if (board) {
            counts.put(NodeId.Role.BOARD, 1);
        }
        ListenAddress listening = new ListenAddress(host == null ? "127.0.0.1" : host, 0);
        listening.socket(); // An unknown host is reported as such, not as a wrong setting.
        return new Layout(dir, listening.host(), counts, Ports.notChosen(counts), developmentAccount);
    }

    private Layout withPorts(Layout shape) {
        try (Ports ports = new Ports(shape.host(), new Random())) {
            int first = port == null ? 10_002 : port;
            return new Layout(
                    dir, shape.host(), shape.counts(), ports.choose(shape.counts(), first), developmentAccount);
        }
    }

    private void refuseOther(Layout kept) {
        refuseOther("masters", masters, kept.nodes(NodeId.Role.MASTER).size());
        refuseOther("servers", servers, kept.nodes(NodeId.Role.SERVER).size());
        refuseOther("front-ends", frontEnds, kept.nodes(NodeId.Role.FRONT_END).size());
        if (dfs.kind() != null) {
            refuseOther("dfs", dfs.kind().word(), kept.dfs().word());
        }
        refuseOther("bookies", dfs.bookies(), kept.nodes(NodeId.Role.BOOKIE).size());
        refuseOther(
                "zookeepers",
                dfs.zookeepers(),
                kept.nodes(NodeId.Role.ZOOKEEPER).size());
        if (!settings.isEmpty() || accounts != null || (developmentAccount && !kept.developmentAccount())) {
            throw CommandFailure.usage("the cluster in " + dir + " exists already; its settings and accounts are in "
                    + dir + "/ROLE-N/config.properties and " + dir
                    + "/accounts: change them there, or use another --dir");
        }
    }

    private void refuseOther(String what, @Nullable Object asked, Object kept) {
        if (asked != null && !asked.equals(kept)) {
            throw CommandFailure.usage("the cluster in " + dir + " was made with --" + what + " " + kept + ", not "
                    + asked + "; leave the option out, or use another --dir");
        }
    }

    private Path accountsFile() {
        return dir.resolve("accounts");
    }

    /** The text of the given file, or one with a new key. */
    private String accountsText() {
        if (accounts == null) {
            byte[] key = new byte[KEY_BYTES];
            new SecureRandom().nextBytes(key);
            return "# Accounts that this cluster serves: lines of name=key.\ncleave="
                    + Base64.getEncoder().encodeToString(key) + "\n";
        }
        try {
            String text = Files.readString(accounts, StandardCharsets.UTF_8);
            if (!developmentAccount && text.lines().noneMatch(ClusterPlan::isAccount)) {
                throw noAccountIn(accounts);
            }
            return text;
        } catch (IOException unreadable) {
            throw CommandFailure.usage(
                    "the accounts file " + accounts + " cannot be read: " + FileProblem.text(unreadable));
        }
    }

    private static boolean isAccount(String line) {
        return line.indexOf('=') > 0 && !line.startsWith("#");
    }

    private static CommandFailure noAccountIn(Path file) {
        return CommandFailure.usage("there is no account (a line name=key) in " + file);
    }

    /** The access to it: the first account of its file, or the development account, at the first front end. */
    Access deployment(Layout layout) {
        List<String> endpoints = layout.addresses(NodeId.Role.FRONT_END).stream()
                .map(address -> "http://" + address)
                .toList();
        Endpoint account = layout.developmentAccount()
                ? TableAccount.development(endpoints.get(0))
                : firstAccount(endpoints.get(0));
        return new Access(
                new Deployment(
                        layout.addresses(NodeId.Role.MASTER),
                        endpoints,
                        NodeSettings.tls(layout, PeerRole.ADMIN),
                        NodeSettings.dfs(layout),
                        account.credential().account(),
                        account.sharedKey().key()),
                account.connectionString());
    }

    /** The access to a cluster, for other commands and for people. */
    record Access(Deployment deployment, String connectionString) {}

    private Endpoint firstAccount(String endpoint) {
        try {
            for (String line : Files.readAllLines(accountsFile(), StandardCharsets.UTF_8)) {
                if (isAccount(line)) {
                    int equals = line.indexOf('=');
                    return TableAccount.at(
                            endpoint,
                            line.substring(0, equals).trim(),
                            line.substring(equals + 1).trim());
                }
            }
        } catch (IOException unreadable) {
            throw CommandFailure.failed(
                    "the accounts file " + accountsFile() + " cannot be read: " + FileProblem.text(unreadable));
        }
        throw noAccountIn(accountsFile());
    }
}
