package cleave.board.axis;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.board.frame.Cut;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class CommonAxisTest {
    private static List<Cut> cuts(String... keys) {
        return Stream.of(keys).map(key -> new Cut(3, key)).toList();
    }

    @Test
    void aUnionHasEachCutOnce() {
        assertThat(CommonAxis.union(cuts("a", "c", "e"), cuts("b", "c", "f"), false))
                .isEqualTo(cuts("a", "b", "c", "e", "f"));
    }

    @Test
    void hashedCutsKeepTheOrderOfBoth() {
        List<Cut> union = CommonAxis.union(cuts("#9", "#5", "#1"), cuts("#9", "#7", "#1", "#0"), true);

        assertThat(union).isEqualTo(cuts("#9", "#7", "#5", "#1", "#0"));
    }

    @Test
    void hashedCutsOfOtherTablesStayInTheOrderOfTables() {
        List<Cut> one = List.of(new Cut(3, "#a"), new Cut(5, "#b"));
        List<Cut> other = List.of(new Cut(4, "#c"));

        assertThat(CommonAxis.union(one, other, true))
                .containsExactly(new Cut(3, "#a"), new Cut(4, "#c"), new Cut(5, "#b"));
    }

    @Test
    void valuesAreDividedByWeights() {
        int[] buckets = CommonAxis.bucketsOf(cuts("a", "b", "c"), cuts("b"));

        assertThat(buckets).containsExactly(0, 0, 1, 1);
        assertThat(CommonAxis.divide(new double[] {10, 8}, buckets, new double[] {1, 4, 0, 0}))
                .containsExactly(2, 8, 4, 4);
    }
}
