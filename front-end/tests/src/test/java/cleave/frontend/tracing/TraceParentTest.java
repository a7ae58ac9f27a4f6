package cleave.frontend.tracing;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import cleave.frontend.protocol.odata.Headers;
import cleave.model.TraceId;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TraceParentTest {
    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final String SPAN = "b7ad6b7169203331";
    private static final String WHOLE = "00-" + TRACE + "-" + SPAN + "-01";

    private static Headers headers(Map<String, List<String>> all) {
        return name -> all.getOrDefault(name, List.of());
    }

    private static @Nullable TraceParent parsed(String traceparent) {
        return TraceParent.of(headers(Map.of("traceparent", List.of(traceparent))));
    }

    @Test
    void theExampleOfTheStandardIsRead() {
        TraceParent parent = requireNonNull(parsed(WHOLE));

        assertThat(parent)
                .isEqualTo(new TraceParent(
                        new TraceId(0x0af7651916cd43ddL, 0x8448eb211c80319cL), 0xb7ad6b7169203331L, true, ""));
        assertThat(parent.trace()).hasToString(TRACE);
        assertThat(requireNonNull(parsed("00-" + TRACE + "-" + SPAN + "-00")).isSampled())
                .isFalse();
        assertThat(requireNonNull(parsed("00-" + TRACE + "-" + SPAN + "-ff")).isSampled())
                .isTrue();
    }

    @Test
    void laterVersionsMayGoOn() {
        assertThat(parsed("cc-" + TRACE + "-" + SPAN + "-01")).isNotNull();
        assertThat(parsed("cc-" + TRACE + "-" + SPAN + "-01-what-comes-later")).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "00",
                "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
                "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-1",
                "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
                "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
                "00-00000000000000000000000000000000-b7ad6b7169203331-01",
                "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
                "00-0af7651916cd43dd8448eb211c80319x-b7ad6b7169203331-01",
                "00_0af7651916cd43dd8448eb211c80319c_b7ad6b7169203331_01",
                "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                "cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01.more",
                "0x-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                "\u0660\u0660-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
            })
    void whatIsMalformedIsIgnored(String text) {
        assertThat(parsed(text)).isNull();
    }

    @Test
    void twoAreNone() {
        assertThat(TraceParent.of(headers(Map.of("traceparent", List.of(WHOLE, WHOLE)))))
                .isNull();
    }

    @Test
    void theStateIsPassedOnUnlessItIsOfNoUse() {
        assertThat(state("a=1", "b=2")).isEqualTo("a=1,b=2");
        assertThat(state("a=1\nforged")).isEmpty();
        assertThat(state("a=" + "x".repeat(511))).isEmpty();
    }

    private static String state(String... values) {
        TraceParent parent =
                TraceParent.of(headers(Map.of("traceparent", List.of(WHOLE), "tracestate", List.of(values))));
        return requireNonNull(parent).state();
    }
}
