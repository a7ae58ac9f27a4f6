package cleave.chaos.pods;

import cleave.deploy.Cleave;
import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A process with its own networks, mounts and process numbers on this machine. Stateless. No other process sees them,
 * and the kernel removes all of them, including processes, when that process ends in any way. It ends when this one
 * does.
 */
final class Sandbox {
    private static final List<String> ENTER =
            List.of("unshare", "--net", "--mount", "--uts", "--pid", "--fork", "--mount-proc", "--kill-child");
    private static final List<String> TOOLS =
            List.of("unshare", "nsenter", "ip", "mount", "chroot", "setpriv", "kubectl");
    /** Like {@code ./cleave}, so that what pods see does not depend on the caller's umask. */
    private static final String STRICTLY = "umask 077; exec \"$@\"";
    /** One operation of each kind that is done inside. */
    private static final String TRIAL = "mkdir -p /run/netns && mount -t tmpfs netns /run/netns && ip netns add trial"
            + " && ip link set lo up && echo 1 > /proc/sys/net/ipv4/ip_forward && echo trial > /proc/sys/kernel/hostname"
            + " && ip link add trial type veth peer name eth0 netns trial && ip route replace blackhole 10.244.0.1/32"
            + " && nsenter --net=/run/netns/trial unshare --mount --uts true"
            + " && mkdir /run/netns/dev && mount --rbind /dev /run/netns/dev && mount --bind /proc/self/mounts /etc/resolv.conf"
            + " && mount -o remount,bind,ro /run/netns"
            + " && setpriv --reuid=10001 --regid=10001 --clear-groups --no-new-privs --inh-caps=-all --bounding-set=-all true";

    private Sandbox() {}

    /** Why this machine does not support it; empty if it does. */
    static Optional<String> missing() {
        for (String tool : TOOLS) {
            if (!isOnPath(tool)) {
                return Optional.of("there is no " + tool + " on the PATH");
            }
        }
        List<String> trial = new ArrayList<>(ENTER);
        trial.addAll(List.of("sh", "-ec", TRIAL));
        try {
            Shell.run(trial.toArray(String[]::new));
            return Optional.empty();
        } catch (IOException refused) {
            return Optional.of("namespaces are not permitted here, it takes root: " + refused.getMessage());
        }
    }

    static boolean isOnPath(String tool) {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, tool)));
    }

    /** Runs a command of {@code cleave}; returns its exit status. */
    static int run(List<String> arguments, Redirect output) throws IOException, InterruptedException {
        return run(ENTER, "", arguments, output);
    }

    /** Like {@link #run} without the sandbox, in a JVM that resolves names only by a file like {@code /etc/hosts}. */
    static int runOutside(Path hosts, List<String> arguments) throws IOException, InterruptedException {
        return run(List.of(), "-Djdk.net.hosts.file=" + hosts, arguments, Redirect.INHERIT);
    }

    private static int run(List<String> enter, String flag, List<String> arguments, Redirect output)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(enter);
        command.addAll(List.of(
                "sh",
                "-ec",
                STRICTLY,
                "sh",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:-UsePerfData",
                "-XX:TieredStopAtLevel=1",
                "-Xmx256m"));
        System.getProperties().stringPropertyNames().stream()
                .filter(property -> property.startsWith("cleave.") || property.startsWith("logback."))
                .forEach(property -> command.add("-D" + property + "=" + System.getProperty(property)));
        if (!flag.isEmpty()) {
            command.add(flag);
        }
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Cleave.class.getName()));
        command.addAll(arguments);
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output)
                .start();
        try {
            return process.waitFor();
        } finally {
            process.destroyForcibly();
        }
    }

    /** Called inside: ends this process and its children as soon as its parent is gone. */
    static void endWithStarter() {
        Thread thread = new Thread(
                () -> {
                    try {
                        while (System.in.read() >= 0) {
                            // The parent sends nothing while it lives.
                        }
                    } catch (IOException gone) {
                        // Treated like the end of the input.
                    }
                    ProcessHandle.current().descendants().forEach(ProcessHandle::destroy);
                    Runtime.getRuntime().halt(1);
                },
                "starter");
        thread.setDaemon(true);
        thread.start();
    }
}
