package cleave.runtime.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.runtime.tls.PeerRole;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.grpc.MethodDescriptor;
import io.grpc.ServiceDescriptor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class PermissionsTest {
    /** The methods of all services, by their generated classes. */
    static List<MethodDescriptor<?, ?>> methods() {
        List<MethodDescriptor<?, ?>> methods = new ArrayList<>();
        try {
            for (String name : new ClassFileImporter()
                            .withImportOption(location -> location.contains("Grpc.class"))
                            .importPackages("cleave.wire")
                            .stream()
                            .map(JavaClass::getName)
                            .filter(name -> name.matches("cleave\\.wire\\.[A-Za-z]+Grpc"))
                            .sorted()
                            .toList()) {
                ServiceDescriptor service = (ServiceDescriptor)
                        Class.forName(name).getMethod("getServiceDescriptor").invoke(null);
                methods.addAll(service.getMethods());
            }
        } catch (ReflectiveOperationException failed) {
            throw new LinkageError("a service has no descriptor", failed);
        }
        return methods;
    }

    @Test
    void everyMethodOfEveryServiceIsForSomeRole() {
        assertThat(methods()).hasSizeGreaterThan(30);
        assertThat(methods())
                .as("add the method to the table of Permissions: who may call it?")
                .allMatch(method ->
                        !Permissions.callers(method.getFullMethodName()).isEmpty());
    }

    @Test
    void everyMethodInTheTableIsThere() {
        assertThat(methods().stream().map(MethodDescriptor::getFullMethodName)).containsAll(Permissions.methods());
    }

    @Test
    void aViewerReadsWhatTheMastersTellAndNothingElse() {
        assertThat(methods().stream()
                        .map(MethodDescriptor::getFullMethodName)
                        .filter(method -> Permissions.callers(method).contains(PeerRole.VIEWER)))
                .containsExactlyInAnyOrder(
                        "cleave.wire.Admin/GetStatus",
                        "cleave.wire.Admin/ListActs",
                        "cleave.wire.Admin/ListEvents",
                        "cleave.wire.Admin/ListHandoffs",
                        "cleave.wire.Admin/ListSettings");
    }

    @Test
    void whatIsNotInTheTableIsForNobody() {
        assertThat(Permissions.callers("cleave.wire.Master/Abdicate")).isEmpty();
    }

    @Test
    void theDocumentTellsTheTable() throws IOException {
        String table = methods().stream()
                .map(method -> "| `" + method.getFullMethodName().replace("cleave.wire.", "") + "` | "
                        + Permissions.callers(method.getFullMethodName()).stream()
                                .map(Object::toString)
                                .collect(Collectors.joining(", "))
                        + " |\n")
                .collect(Collectors.joining());
        Path document = Path.of("..", "..", "docs", "securing.md");
        if (Boolean.getBoolean("golden.rewrite")) {
            Files.writeString(
                    document,
                    Files.readString(document)
                            .replaceFirst(
                                    "(?s)(\\| method \\| callers \\|\n\\|---\\|---\\|\n).*?\n\n",
                                    "$1" + java.util.regex.Matcher.quoteReplacement(table) + "\n"));
        }
        assertThat(Files.readString(document))
                .as("run with -Dgolden.rewrite=true and read the diff, if the change is meant")
                .contains(table);
    }
}
