package cleave.deploy.engine;

import cleave.deploy.CommandFailure;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code cleave engine}: the processes of BookKeeper. */
@Command(
        name = "engine",
        mixinStandardHelpOptions = true,
        header = "ZooKeeper, bookies and autorecovery of Apache BookKeeper as processes",
        description = {
            "Runs the programs of BookKeeper and ZooKeeper, which are in the image, with settings of their own names, and with what"
                    + " all processes of Cleave have: the admin port (admin.listen) with /metrics, /healthz and /readyz, logs, and"
                    + " an end within seconds of SIGTERM. Clusters on a BookKeeper that others run do not need it.",
            "",
            "An id is a disk's: a bookie's id is made when it first uses its folders and lies in them, and a bookie with empty folders"
                    + " gets another one. A ZooKeeper server whose data is gone takes no part in elections; it copies the data of the"
                    + " others. A new ensemble, whose servers all are blank, is prepared once, by cleave engine format.",
            "",
            "With the setting tls=DIR, the folder of a certificate for the role dfs (tls.crt, tls.key, ca.crt), a process takes and makes"
                    + " connections over mutual TLS alone, at the same ports."
        })
public final class EngineCommand implements Runnable {
    private EngineCommand() {}

    public static CommandLine make() {
        return new CommandLine(new EngineCommand())
                .addSubcommand(node(
                        "zookeeper",
                        "one server of ZooKeeper",
                        "Its number is N of the setting server.N whose host is NAME, be it followed by a domain.",
                        "  cleave engine zookeeper --name zk2 --config zoo.cfg --set admin.listen=0.0.0.0:10900",
                        ZooKeeperNode::new))
                .addSubcommand(node(
                        "bookie",
                        "one bookie",
                        "Its id, NAME and a random number, lies in the parents of journalDirectories and ledgerDirectories.",
                        "  cleave engine bookie --name b7 --config bookie.conf --set advertisedAddress=b7.example.com",
                        BookieNode::new))
                .addSubcommand(node(
                        "autorecovery",
                        "one process that copies what lost bookies had",
                        "Of several, one looks for what is missing, and all copy. NAME is its id.",
                        "  cleave engine autorecovery --name a1 --config autorecovery.conf",
                        AutorecoveryNode::new))
                .addSubcommand(new FormatCommand());
    }

    private static CommandLine node(
            String name, String header, String description, String example, NodeCommand.Maker part) {
        CommandLine line = new CommandLine(new NodeCommand(part)).setCaseInsensitiveEnumValuesAllowed(true);
        line.getCommandSpec()
                .name(name)
                .usageMessage()
                .header(header)
                .description(description)
                .footer("EXAMPLE", "", example);
        return line;
    }

    @Override
    public void run() {
        throw CommandFailure.usage("a part of the engine is missing: zookeeper, bookie, autorecovery or format");
    }
}
