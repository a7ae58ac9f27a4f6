package cleave.deploy.role;

import cleave.deploy.Version;
import cleave.deploy.inspect.Redaction;
import cleave.model.Facts;
import cleave.model.Readiness;
import cleave.runtime.tls.CredentialsFolder;
import java.lang.management.ManagementFactory;
import java.lang.management.RuntimeMXBean;
import java.time.Instant;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What an operator sees of this process: what it is, and what its role says of itself. Stateless. */
final class ProcessStatus {
    private static final String BALANCER = "balancer.";

    private ProcessStatus() {}

    /** @param role null: it is not started yet */
    static Facts of(@Nullable RunningRole role, Readiness readiness, boolean ends) {
        RuntimeMXBean runtime = ManagementFactory.getRuntimeMXBean();
        Facts process = Facts.NONE
                .and("name", role == null ? "" : role.name())
                .and("version", Version.built())
                .and("commit", Version.commit())
                .and("java", Runtime.version().toString())
                .and("pid", runtime.getPid())
                .and("started", Instant.ofEpochMilli(runtime.getStartTime()).toString())
                .and("uptimeSeconds", runtime.getUptime() / 1000)
                .and("ready", readiness.ready())
                .and("missing", readiness.missing())
                .and("ends", ends);
        if (role == null) {
            return process;
        }
        CredentialsFolder.Use certificate = role.certificate();
        return process.and("address", role.address())
                .and(
                        "certificateExpires",
                        certificate == null ? "" : certificate.expires().toString())
                .and("state", role.status())
                .and("settings", settings(role));
    }

    /** The balancer's are those that the masters replicate, which a master's state has; what its file said counted at the founding alone. */
    private static Facts settings(RunningRole role) {
        SortedMap<String, String> own = new TreeMap<>(role.settings());
        own.keySet().removeIf(name -> name.startsWith(BALANCER));
        Facts shown = Facts.NONE;
        for (Map.Entry<String, String> setting : Redaction.of(own).entrySet()) {
            shown = shown.and(setting.getKey(), setting.getValue());
        }
        return shown;
    }
}
