package cleave.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class HandoffNumberTest {
    @Test
    void numbersAndIdsComeBackFromTheirTexts() {
        long number = HandoffNumber.of(3, 17);
        assertThat(HandoffNumber.text(number)).isEqualTo("3.17");
        assertThat(HandoffNumber.parse("3.17")).isEqualTo(number);
        assertThat(HandoffNumber.of(4, 1)).isGreaterThan(HandoffNumber.of(3, 1 << 19));
        assertThat(Row.parseId(Row.idText(Row.id(17, 3)))).isEqualTo(Row.id(17, 3));
        assertThat(Row.index(Row.id(17, 3))).isEqualTo(17);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "3", ".", "3.", ".3", "a.b", "-1.0", "1.-1", "1.99999999", "99999999999999999999.0"})
    void whatIsNoneIsRefused(String text) {
        assertThatThrownBy(() -> HandoffNumber.parse(text)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Row.parseId(text)).isInstanceOf(IllegalArgumentException.class);
    }
}
