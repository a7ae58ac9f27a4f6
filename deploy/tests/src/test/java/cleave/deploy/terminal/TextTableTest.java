package cleave.deploy.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class TextTableTest {
    @Test
    void textStandsToTheLeftAndNumbersToTheRight() {
        TextTable table = new TextTable("NAME", "COUNT", "NOTE");
        table.row("a", 7, "-").row("longer", 1200, "all is well");

        assertThat(table.text()).isEqualTo("""
                        NAME    COUNT  NOTE
                        a           7  -
                        longer   1200  all is well
                        """);
    }

    @Test
    void aDashAmongNumbersDoesNotMakeThemText() {
        TextTable table = new TextTable("PID", "X").row("-", "a").row("12345", "b");

        assertThat(table.text()).isEqualTo("  PID  X\n    -  a\n12345  b\n");
    }

    @Test
    void charactersBeyondTheBasicPlaneCountOnce() {
        TextTable table = new TextTable("A", "B").row("\uD83D\uDE00", "x").row("ab", "y");

        assertThat(table.text()).isEqualTo("A   B\n\uD83D\uDE00   x\nab  y\n");
    }

    @Test
    void aRowOfAnotherWidthIsRefused() {
        assertThatThrownBy(() -> new TextTable("A", "B").row("only one")).isInstanceOf(IllegalArgumentException.class);
    }
}
