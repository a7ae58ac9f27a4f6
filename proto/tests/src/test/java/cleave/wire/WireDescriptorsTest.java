package cleave.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The wire is our interface: a change of it is seen here, in the diff of the golden file. */
final class WireDescriptorsTest {
    private static final Path GOLDEN = Path.of("src/test/resources/wire-descriptors.txt");
    private static final List<FileDescriptor> FILES = List.of(
            Common.getDescriptor(),
            Dfs.getDescriptor(),
            FilterOuterClass.getDescriptor(),
            Manifest.getDescriptor(),
            MasterOuterClass.getDescriptor(),
            Range.getDescriptor());

    @Test
    void wireIsAsTheGoldenFileSays() throws IOException {
        Set<String> lines = new TreeSet<>();
        for (FileDescriptor file : FILES) {
            file.getMessageTypes().forEach(message -> describe(message, lines));
            file.getEnumTypes().forEach(type -> describe(type, lines));
            file.getServices().forEach(service -> describe(service, lines));
        }
        String now = String.join("\n", lines) + "\n";
        if (Boolean.getBoolean("golden.rewrite")) {
            Files.writeString(GOLDEN, now);
        }
        assertThat(now)
                .as("run with -Dgolden.rewrite=true and read the diff, if the change is meant")
                .isEqualTo(Files.readString(GOLDEN));
    }

    private static void describe(Descriptor message, Set<String> lines) {
        List<String> fields = message.getFields().stream()
                .sorted(Comparator.comparing(FieldDescriptor::getNumber))
                .map(field -> field.getNumber() + " " + field.getName() + (field.isRepeated() ? " repeated " : " ")
                        + type(field))
                .toList();
        lines.add(FieldLists.written("message " + message.getName(), fields));
        message.getNestedTypes().forEach(nested -> describe(nested, lines));
        message.getEnumTypes().forEach(nested -> describe(nested, lines));
    }

    private static String type(FieldDescriptor field) {
        return switch (field.getJavaType()) {
            case MESSAGE -> field.getMessageType().getName();
            case ENUM -> field.getEnumType().getName();
            default -> field.getType().name().toLowerCase(Locale.ROOT);
        };
    }

    private static void describe(EnumDescriptor type, Set<String> lines) {
        List<String> values = type.getValues().stream()
                .sorted(Comparator.comparing(EnumValueDescriptor::getNumber))
                .map(value -> value.getNumber() + " " + value.getName())
                .toList();
        lines.add(FieldLists.written("enum " + type.getName(), values));
    }

    private static void describe(ServiceDescriptor service, Set<String> lines) {
        for (MethodDescriptor method : service.getMethods()) {
            lines.add("service %s %s(%s%s) returns (%s%s)"
                    .formatted(
                            service.getName(),
                            method.getName(),
                            method.isClientStreaming() ? "stream " : "",
                            method.getInputType().getName(),
                            method.isServerStreaming() ? "stream " : "",
                            method.getOutputType().getName()));
        }
    }
}
