package cleave.server.policy;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.model.Key;
import cleave.model.entity.EdmType;
import cleave.model.entity.Entity;
import cleave.model.entity.EntityCodec;
import cleave.model.entity.Property;
import cleave.server.state.WriteOp;
import cleave.wire.ErrorCode;
import cleave.wire.WriteKind;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The limits of the entity that results from a write. */
class WriteJudgeTest {
    private static final Key KEY = Key.of(1, "p", "r");

    private static byte[] entity(List<Property> properties) {
        return EntityCodec.encode(new Entity(5, properties));
    }

    private static List<Property> numbers(int from, int to) {
        List<Property> properties = new ArrayList<>();
        for (int i = from; i < to; i++) {
            properties.add(new Property("P" + i, EdmType.INT32, i));
        }
        return properties;
    }

    /** An entity at {@link #KEY} of this size: 4 + 4 for its keys, 8 + 4 + 4 for each text besides its characters. */
    private static List<Property> texts(int bytes) {
        List<Property> properties = new ArrayList<>();
        int left = bytes - 8;
        for (int i = 0; left > 0; i++) {
            int chars = Math.min(32_768, (left - 16) / 2);
            properties.add(new Property("T" + (char) ('A' + i), EdmType.STRING, "x".repeat(chars)));
            left -= 16 + 2 * chars;
        }
        return properties;
    }

    private static Judgement judged(WriteKind kind, List<Property> stored, List<Property> given) {
        return new WriteJudge(0).judge(List.of(new WriteOp(kind, KEY, entity(given), null)), key -> entity(stored), 7);
    }

    /** So it is done even where the stored one cannot be read. */
    @Test
    void whatReplacesAnEntityWhateverItIsDoesNotReadIt() {
        WriteJudge.Entities unreadable = key -> {
            throw new AssertionError(key + " is read");
        };
        WriteOp replace = new WriteOp(WriteKind.INSERT_OR_REPLACE, KEY, entity(numbers(0, 1)), null);
        WriteOp then = new WriteOp(WriteKind.MERGE, KEY, entity(numbers(1, 2)), null);
        assertThat(new WriteJudge(0)
                        .judge(List.of(replace, then), unreadable, 7)
                        .effects())
                .hasSize(2);
    }

    @ParameterizedTest
    @EnumSource(
            value = WriteKind.class,
            names = {"MERGE", "INSERT_OR_MERGE"})
    void aMergeMakesAtMost252Properties(WriteKind kind) {
        assertThat(judged(kind, numbers(0, 250), numbers(248, 252)).code()).isEqualTo(ErrorCode.OK);
        assertThat(judged(kind, numbers(0, 250), numbers(248, 253)).code()).isEqualTo(ErrorCode.TOO_MANY_PROPERTIES);
        assertThat(judged(kind, numbers(0, 252), numbers(0, 252)).code()).isEqualTo(ErrorCode.OK);
    }

    @ParameterizedTest
    @EnumSource(
            value = WriteKind.class,
            names = {"MERGE", "INSERT_OR_MERGE"})
    void aMergeMakesAtMostAMebibyte(WriteKind kind) {
        int flag = 8 + 2 * 4 + 1;
        Property one = new Property("Flag", EdmType.BOOLEAN, true);
        List<Property> full = texts((1 << 20) - flag - 1);
        assertThat(EntityCodec.size(KEY, entity(full)) + flag).isEqualTo((1 << 20) - 1);
        assertThat(judged(kind, full, List.of(one)).code()).isEqualTo(ErrorCode.OK);
        assertThat(judged(kind, texts((1 << 20) - flag + 1), List.of(one)).code())
                .isEqualTo(ErrorCode.ENTITY_TOO_LARGE);
        assertThat(judged(kind, texts(1 << 20), List.of(new Property("TA", EdmType.STRING, "short")))
                        .code())
                .isEqualTo(ErrorCode.OK);
    }

    @ParameterizedTest
    @EnumSource(
            value = WriteKind.class,
            names = {"REPLACE", "INSERT_OR_REPLACE"})
    void aReplaceCountsOnlyWhatItBrings(WriteKind kind) {
        assertThat(judged(kind, numbers(0, 252), numbers(252, 504)).code()).isEqualTo(ErrorCode.OK);
        assertThat(judged(kind, texts(1 << 20), texts(1 << 20)).code()).isEqualTo(ErrorCode.OK);
    }

    /** Invariant I6. */
    @Test
    void aTransactionIsRefusedWholeWithTheIndexOfTheMergeThatMakesTooMuch() {
        Key other = Key.of(1, "p", "s");
        Judgement judgement = new WriteJudge(0)
                .judge(
                        List.of(
                                new WriteOp(WriteKind.INSERT_OR_REPLACE, other, entity(numbers(0, 1)), null),
                                new WriteOp(WriteKind.MERGE, KEY, entity(numbers(252, 253)), null)),
                        key -> key.equals(KEY) ? entity(numbers(0, 252)) : null,
                        7);
        assertThat(judgement.code()).isEqualTo(ErrorCode.TOO_MANY_PROPERTIES);
        assertThat(judgement.failedOperation()).isEqualTo(1);
        assertThat(judgement.effects()).isEmpty();
    }
}
