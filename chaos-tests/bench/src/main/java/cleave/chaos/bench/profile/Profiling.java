package cleave.chaos.bench.profile;

import cleave.chaos.process.ThreadTimes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Profiles of the roles of one service, from its beginning to its end. Confined to its caller. */
public final class Profiling {
    private final Map<String, Map<String, Long>> roles;
    private final Map<String, ThreadTimes> before = new LinkedHashMap<>();
    private final Instant began = Instant.now();

    private Profiling(Map<String, Map<String, Long>> roles) {
        this.roles = roles;
        roles.forEach((role, processes) -> before.put(role, ThreadTimes.of(processes.values())));
    }

    /** Options of the JVMs that are profiled. */
    public static List<String> jvmOptions() {
        return Sampling.jvmOptions();
    }

    /** @param roles the ids of processes by their names, by roles */
    public static Profiling begun(Map<String, Map<String, Long>> roles) {
        return new Profiling(roles);
    }

    /**
     * Writes recordings and, for each role, a text into a folder.
     *
     * @return the texts, one after the other
     */
    public String ended(String service, Path folder) throws IOException, InterruptedException {
        Files.createDirectories(folder);
        StringBuilder all = new StringBuilder();
        for (Map.Entry<String, Map<String, Long>> role : roles.entrySet()) {
            ThreadTimes used = ThreadTimes.of(role.getValue().values())
                    .minus(before.getOrDefault(role.getKey(), ThreadTimes.NONE));
            List<Path> recordings = new ArrayList<>();
            for (Map.Entry<String, Long> process : role.getValue().entrySet()) {
                Path recording = folder.resolve(process.getKey() + ".jfr");
                Sampling.dump(process.getValue(), recording);
                recordings.add(recording);
            }
            Profile profile = Profile.of(recordings, began);
            String text = String.format(
                    Locale.ROOT,
                    "%s: %s%n%n%s%n%,d samples, %s:%n%n%s",
                    service,
                    role.getKey(),
                    used.text(),
                    profile.samples(),
                    Sampling.title(),
                    profile.text());
            Files.writeString(folder.resolve(role.getKey().replace(' ', '-') + ".txt"), text);
            all.append(text).append('\n');
        }
        return all.toString();
    }
}
