package cleave.chaos.pods;

import cleave.deploy.CommandFailure;
import cleave.deploy.kubernetes.Manifests;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.KubernetesList;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The command line of Kubernetes. Confined to its owner.
 *
 * @param target options of every command: the context and the namespace
 * @param folder for files
 */
record Kubectl(Path binary, List<String> target, Path folder) {
    /** The time limit of each request of a command. */
    private static final String REQUEST = "--request-timeout=30s";

    /** The kubectl in this folder; a usage failure if there is none. */
    static Path in(Path folder) {
        Path binary = folder.resolve("kubectl").toAbsolutePath().normalize();
        if (!Files.isRegularFile(binary) || !Files.isExecutable(binary)) {
            throw CommandFailure.usage("KUBE_BIN (or --kube-bin) is '" + folder
                    + "', which has no executable kubectl: name the folder of Kubernetes' binaries, or unset it to run the manifests"
                    + " without Kubernetes");
        }
        return binary;
    }

    /** The output of the command, without warnings; IOException with its errors if it fails. */
    String run(String... arguments) throws IOException {
        Path errors = Files.createTempFile(folder, "kubectl", ".errors");
        try {
            return Shell.run(command(arguments), errors);
        } finally {
            Files.delete(errors);
        }
    }

    /** Like {@link #run} with a time limit for each request; for commands that do not watch. */
    String ask(String... arguments) throws IOException {
        List<String> bounded = new ArrayList<>(List.of(arguments));
        bounded.add(REQUEST);
        return run(bounded.toArray(String[]::new));
    }

    /** The current objects of these kinds, or one object; empty if it does not exist. */
    Manifests get(String... what) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("get"));
        arguments.addAll(List.of(what));
        arguments.addAll(List.of("-o", "json", "--ignore-not-found"));
        String json = ask(arguments.toArray(String[]::new));
        if (json.isBlank()) {
            return new Manifests(List.of());
        }
        Object found = new KubernetesSerialization().unmarshal(json);
        return new Manifests(
                found instanceof KubernetesList list ? List.copyOf(list.getItems()) : List.of((HasMetadata) found));
    }

    /** A command that runs until it is destroyed; its output goes to a file. */
    Process start(Path printed, String... arguments) throws IOException {
        return new ProcessBuilder(command(arguments))
                .redirectErrorStream(true)
                .redirectOutput(Redirect.to(printed.toFile()))
                .start();
    }

    private List<String> command(String... arguments) {
        List<String> command = new ArrayList<>(List.of(binary.toString()));
        command.addAll(target);
        command.addAll(List.of(arguments));
        return command;
    }
}
