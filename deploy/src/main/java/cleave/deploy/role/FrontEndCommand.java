package cleave.deploy.role;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code cleave front-end}: one front end in this process. */
@Command(
        name = "front-end",
        mixinStandardHelpOptions = true,
        header = "one front end in this process",
        customSynopsis = "cleave front-end [--config FILE] [--set KEY=VALUE]... [--log FILE]",
        description = {
            "Serves the Table protocol over HTTP: authenticates, parses, and routes to partition servers. Keeps no state.",
            "",
            "With front-end.listen-tls=HOST:PORT and front-end.tls-dir=DIR it serves HTTPS, too, with the certificate in"
                    + " DIR/tls.crt and DIR/tls.key, which are read again when they change. front-end.listen=none turns"
                    + " HTTP off.",
            "",
            "Runs until SIGTERM or SIGINT. A setting that is unknown or wrong stops the start, and the message lists the"
                    + " known ones. The admin port (admin.listen; by default any free port of 127.0.0.1, named in the log)"
                    + " serves /metrics, /healthz and /readyz."
        },
        footer = {
            "EXAMPLE",
            "",
            "  cleave front-end --set front-end.listen=0.0.0.0:10002 --set front-end.accounts=accounts \\",
            "      --set masters=m1:10100,m2:10100,m3:10100"
        })
public final class FrontEndCommand implements Callable<Integer> {
    @Mixin
    private GivenSettings given = new GivenSettings();

    @Override
    public Integer call() {
        return RoleStart.run(given, RunningFrontEnd::configure);
    }
}
