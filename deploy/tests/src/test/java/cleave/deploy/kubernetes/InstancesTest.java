package cleave.deploy.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two clusters in one Kubernetes, by the overlay that README.md of the manifests shows. */
class InstancesTest {
    private static final Pattern OVERLAY = Pattern.compile("(?ms)^```\\n(namespace: tables-two\\n.*?)^```$");
    private static final String FOLDER = "../cleave/deploy/kubernetes/";
    private static final List<String> COMPONENTS =
            List.of("autoscaling", "backup", "board", "gateway", "ingress", "monitoring");

    @TempDir
    private Path dir;

    /** The overlay of the README with all components, in this namespace. */
    private String render(String namespace) throws IOException, InterruptedException {
        Matcher overlay = OVERLAY.matcher(Files.readString(Kustomize.FOLDER.resolve("README.md")));
        assertThat(overlay.find()).isTrue();
        Path own = Files.createDirectory(dir.toRealPath().resolve(namespace));
        StringBuilder text =
                new StringBuilder(overlay.group(1).replace("tables-two", namespace)).append("components:\n");
        COMPONENTS.forEach(component -> text.append("  - ")
                .append(FOLDER)
                .append("components/")
                .append(component)
                .append('\n'));
        Files.writeString(
                own.resolve("kustomization.yaml"),
                text.toString().replace(FOLDER, own.relativize(Kustomize.FOLDER) + "/"));
        return Kustomize.render(own);
    }

    private static String id(HasMetadata object) {
        return object.getApiVersion() + " " + object.getKind() + " "
                + object.getMetadata().getNamespace() + "/"
                + object.getMetadata().getName();
    }

    @Test
    void twoInstancesShareNoObjectAndNoName() throws Exception {
        String first = render("tables-one");
        String second = render("tables-two");
        Set<String> ids = new HashSet<>();
        for (String rendered : List.of(first, second)) {
            Manifests manifests = Manifests.parse(rendered);
            String namespace =
                    manifests.all(Namespace.class).get(0).getMetadata().getName();
            assertThat(manifests.objects()).allSatisfy(object -> {
                assertThat(ids.add(id(object))).as(id(object)).isTrue();
                assertThat(object instanceof Namespace
                                || namespace.equals(object.getMetadata().getNamespace()))
                        .as(id(object))
                        .isTrue();
            });
            assertThat(rendered)
                    .contains("cleave." + namespace + ".svc.cluster.local")
                    .doesNotContain("cleave.cleave.svc", "namespace: cleave\n");
            ManifestsTest.check(manifests);
        }
        assertThat(first).doesNotContain("tables-two");
        assertThat(second).doesNotContain("tables-one").isEqualTo(first.replace("tables-one", "tables-two"));
    }
}
