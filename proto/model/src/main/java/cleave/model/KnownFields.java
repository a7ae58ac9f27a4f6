package cleave.model;

import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.MessageOrBuilder;
import java.util.List;
import java.util.Map;

/**
 * Rejects stored or replicated protobuf messages with fields that this version does not know. Stateless. Code that
 * ignored such a field would act on half of the message, and drop the other half when it writes the message again.
 */
public final class KnownFields {
    private KnownFields() {}

    /** {@link UnknownFormat} if the message, or one inside it, has a field or an enum's value that is not known. */
    public static void check(String what, MessageOrBuilder message) {
        if (!message.getUnknownFields().asMap().isEmpty()) {
            throw new UnknownFormat(
                    what + " has the unknown fields "
                            + message.getUnknownFields().asMap().keySet().stream()
                                    .sorted()
                                    .toList()
                            + " in " + message.getDescriptorForType().getName(),
                    "no such fields");
        }
        for (Map.Entry<FieldDescriptor, Object> field : message.getAllFields().entrySet()) {
            switch (field.getKey().getJavaType()) {
                case MESSAGE, ENUM -> check(what, field.getKey(), field.getValue());
                default -> {}
            }
        }
    }

    private static void check(String what, FieldDescriptor field, Object value) {
        List<?> values = field.isRepeated() ? (List<?>) value : List.of(value);
        for (Object each : values) {
            if (each instanceof MessageOrBuilder message) {
                check(what, message);
            } else if (each instanceof EnumValueDescriptor known && known.getIndex() < 0) {
                throw new UnknownFormat(
                        what + " has the value " + known.getNumber() + " of " + field.getFullName(), "no such value");
            }
        }
    }
}
