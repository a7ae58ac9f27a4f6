package cleave.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cleave.wire.Levels;
import org.junit.jupiter.api.Test;

class FeatureLevelsTest {
    @Test
    void whoSaysNothingKnowsTheFirstLevelAlone() {
        assertThat(FeatureLevels.fromWire(Levels.getDefaultInstance())).isEqualTo(new FeatureLevels(1, 1));
        assertThat(FeatureLevels.fromWire(new FeatureLevels(2, 5).toWire())).isEqualTo(new FeatureLevels(2, 5));
    }

    @Test
    void levelsThatMakeNoSenseAreRefused() {
        assertThatThrownBy(() -> FeatureLevels.fromWire(
                        Levels.newBuilder().setMin(3).setMax(2).build()))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new FeatureLevels(0, 2)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aLevelBeyondThoseThatAreSupportedIsUnknown() {
        FeatureLevels levels = new FeatureLevels(2, 3);
        assertThatCode(() -> levels.check("the snapshot", 3)).doesNotThrowAnyException();
        assertThatThrownBy(() -> levels.check("the snapshot", 4))
                .isInstanceOf(UnknownFormat.class)
                .hasMessageStartingWith(
                        "the snapshot needs feature level 4; this version of Cleave knows feature levels 2 to 3");
        assertThatThrownBy(() -> levels.check("the snapshot", 1)).isInstanceOf(UnknownFormat.class);
    }

    @Test
    void rangesOverlapOrNot() {
        FeatureLevels levels = new FeatureLevels(2, 3);
        assertThat(levels.overlaps(new FeatureLevels(3, 9))).isTrue();
        assertThat(levels.overlaps(new FeatureLevels(1, 2))).isTrue();
        assertThat(levels.overlaps(new FeatureLevels(4, 9))).isFalse();
        assertThat(levels.overlaps(FeatureLevels.UNTOLD)).isFalse();
    }
}
