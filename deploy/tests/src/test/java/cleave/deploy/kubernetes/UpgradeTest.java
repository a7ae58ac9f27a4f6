package cleave.deploy.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The script {@code deploy/kubernetes/upgrade} on overlays of these manifests, with a {@code kubectl} that stands for a cluster: a workload whose
 * image changes has new pods some polls later, unless the image is a broken one.
 */
class UpgradeTest {
    private static final String KUBECTL = """
            #!/bin/sh
            cluster=${0%/*}
            state() { echo "$cluster/state-$(echo "$1" | tr / _)"; }
            case " $* " in
            *' kustomize '*) cat "$cluster/rendered" ;;
            *' get namespace '*) [ ! -e "$cluster/namespace" ] || echo namespace/cleave ;;
            *' get pods '*) [ ! -e "$cluster/pods" ] || cat "$cluster/pods" ;;
            *' get '*/*)
                for word; do case $word in */*) [ -e "$(state "$word")" ] && found=$word || true ;; esac; done
                [ -n "${found:-}" ] || exit 0
                head -n 1 "$(state "$found")"
                if [ "$(wc -l <"$(state "$found")")" -gt 1 ]; then sed -i 1d "$(state "$found")"; else echo "ready $found" >>"$cluster/log"; fi
                ;;
            *' apply '*)
                for word; do file=$word; done
                awk '/^kind:/ { kind = tolower($2) } /^  name:/ && name == "" { name = $2 } / image: / { image = $2 }
                    /^---$/ { print kind "/" name, image; kind = name = image = "" }' "$file" |
                    while read -r name image; do
                        if [ "$(cat "$(state "image/$name")" 2>/dev/null)" = "$image" ]; then echo "$name unchanged"; continue; fi
                        echo "$image" >"$(state "image/$name")"
                        echo "$name configured"
                        case $name in statefulset/*|deployment/*) ;; *) continue ;; esac
                        echo "apply $name" >>"$cluster/log"
                        case $name$image in
                        deployment/cleave-server*broken*)
                            echo 'cleave-server-2 ImagePullBackOff' >"$cluster/pods"
                            echo '3|3|1|2|2|2|a|b' >"$(state "$name")" ;;
                        *)
                            rm -f "$cluster/pods"
                            printf '3|3|3|3|2|1|a|a\\n3|3|1|2|2|2|a|b\\n3|3|3|3|2|2|b|b\\n' >"$(state "$name")" ;;
                        esac
                    done
                ;;
            *) echo "no command for $*" >&2; exit 1 ;;
            esac
            """;

    @TempDir
    private Path dir;

    private String printed = "";

    @BeforeEach
    void cluster() throws IOException {
        Path kubectl = Files.writeString(dir.resolve("kubectl"), KUBECTL);
        Files.setPosixFilePermissions(kubectl, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    /** The cluster runs the overlay with this image, and every pod is Ready. */
    private void runs(String overlay, String image) throws Exception {
        Files.writeString(dir.resolve("namespace"), "");
        says(overlay, image);
        assertThat(upgrade()).as("%s", printed).isZero();
        Files.deleteIfExists(dir.resolve("log"));
    }

    private void says(String overlay, String image) throws Exception {
        String rendered = Kustomize.render(Kustomize.FOLDER.resolve("overlays").resolve(overlay));
        Files.writeString(dir.resolve("rendered"), rendered.replace(":unreleased", ":" + image));
    }

    private int upgrade(String... options) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(
                List.of("sh", Kustomize.FOLDER.resolve("upgrade").toString(), "--poll", "0"));
        command.addAll(List.of(options));
        command.add(dir.toString());
        command.add("--context=here");
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("PATH", dir + ":" + System.getenv("PATH"));
        Process process = builder.start();
        printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
        return process.exitValue();
    }

    /** What was applied, and what had all its pods Ready, in this order; repetitions are left out. */
    private List<String> log() throws IOException {
        List<String> log = new ArrayList<>();
        if (Files.exists(dir.resolve("log"))) {
            Files.readAllLines(dir.resolve("log")).stream()
                    .filter(line -> !log.contains(line))
                    .forEach(log::add);
        }
        Files.deleteIfExists(dir.resolve("log"));
        return log;
    }

    private List<String> applied() throws IOException {
        return log().stream()
                .filter(line -> line.startsWith("apply "))
                .map(line -> line.substring("apply ".length()))
                .toList();
    }

    @Test
    void rolesAreReplacedInTheirOrder() throws Exception {
        runs("production", "1");
        says("production", "2");

        assertThat(upgrade()).as("%s", printed).isZero();

        assertThat(applied())
                .containsExactly(
                        "statefulset/cleave-zookeeper",
                        "statefulset/cleave-bookie",
                        "deployment/cleave-autorecovery",
                        "deployment/cleave-server",
                        "deployment/cleave-front-end",
                        "statefulset/cleave-master",
                        "deployment/cleave-admin");
        assertThat(printed).contains("all of cleave is as " + dir + " says, and Ready");
    }

    /** The list of what was Ready has each name once, so it is taken from a cluster that has not been looked at before. */
    @Test
    void aRoleIsAppliedOnlyWhenTheFormerIsReady() throws Exception {
        Files.writeString(dir.resolve("namespace"), "");
        says("dev", "1");

        assertThat(upgrade()).as("%s", printed).isZero();

        assertThat(log())
                .containsExactly(
                        "apply statefulset/cleave-dfs",
                        "ready statefulset/cleave-dfs",
                        "apply deployment/cleave-server",
                        "ready deployment/cleave-server",
                        "apply deployment/cleave-front-end",
                        "ready deployment/cleave-front-end",
                        "apply statefulset/cleave-master",
                        "ready statefulset/cleave-master",
                        "apply deployment/cleave-admin",
                        "ready deployment/cleave-admin");
    }

    @Test
    void itStopsAtAPodThatDoesNotStartAndGoesOnThereWhenRunAgain() throws Exception {
        runs("dev", "1");
        says("dev", "broken");

        assertThat(upgrade()).isEqualTo(1);

        assertThat(applied()).containsExactly("statefulset/cleave-dfs", "deployment/cleave-server");
        assertThat(printed)
                .contains("deployment/cleave-server: 1 of 3 pods are of the new revision, 2 Ready")
                .contains("pod cleave-server-2 ImagePullBackOff")
                .contains("done before: dfs;")
                .contains("--back");

        assertThat(upgrade()).isEqualTo(1);
        assertThat(applied()).isEmpty();

        says("dev", "2");
        assertThat(upgrade()).as("%s", printed).isZero();
        assertThat(applied())
                .containsExactly(
                        "statefulset/cleave-dfs",
                        "deployment/cleave-server",
                        "deployment/cleave-front-end",
                        "statefulset/cleave-master",
                        "deployment/cleave-admin");
    }

    @Test
    void backIsTheReverseOrder() throws Exception {
        runs("dev", "2");
        says("dev", "1");

        assertThat(upgrade("--back")).as("%s", printed).isZero();

        assertThat(applied())
                .containsExactly(
                        "deployment/cleave-admin",
                        "statefulset/cleave-master",
                        "deployment/cleave-front-end",
                        "deployment/cleave-server",
                        "statefulset/cleave-dfs");
    }

    @Test
    void nothingChangesWhatIsAsTheOverlaySays() throws Exception {
        runs("dev", "1");

        assertThat(upgrade()).isZero();

        assertThat(applied()).isEmpty();
        assertThat(printed).contains("master: is as the overlay says");
    }

    @Test
    void aStatefulSetInPlaceOfWhichThereIsADeploymentIsNotForgotten() throws Exception {
        runs("dev", "1");
        assertThat(printed).doesNotContain("from an earlier version");
        Files.writeString(dir.resolve("state-statefulset_cleave-server"), "statefulset.apps/cleave-server\n");
        says("dev", "2");

        assertThat(upgrade()).as("%s", printed).isZero();

        assertThat(printed).contains("kubectl -n cleave delete statefulset/cleave-server");
    }

    @Test
    void nothingIsUpgradedWhileAMasterIsAway() throws Exception {
        runs("dev", "1");
        Files.writeString(dir.resolve("state-statefulset_cleave-master"), "3|3|3|2|2|2|a|a\n");
        says("dev", "2");

        assertThat(upgrade("--timeout", "0")).isEqualTo(1);

        assertThat(applied()).isEmpty();
        assertThat(printed).contains("statefulset/cleave-master is not Ready (no progress for 0 s)", "repair it first");
    }

    @Test
    void aClusterThatIsNotThereIsNotBegun() throws Exception {
        says("dev", "1");

        assertThat(upgrade()).isEqualTo(1);

        assertThat(log()).isEmpty();
        assertThat(printed).contains("there is no namespace cleave");
    }

    @Test
    void aWrongCommandSaysWhatThereIs() throws Exception {
        assertThat(upgrade("--fast")).isEqualTo(1);
        assertThat(printed).contains("unknown option --fast", "--timeout SECONDS");
        assertThat(upgrade("--timeout", "soon")).isEqualTo(1);
        assertThat(printed).contains("is a number of seconds, not 'soon'");
    }
}
