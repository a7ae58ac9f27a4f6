package cleave.frontend.protocol.odata;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.model.Key;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ContinuationTokenTest {
    @Test
    void tokenOfAnEntityHasBothPieces() {
        ContinuationToken token = ContinuationToken.ofEntities(Key.of(7, "pk", "row"));
        assertThat(token.nextPartitionKey()).isEqualTo("1!4!cGs-");
        assertThat(token.nextRowKey()).isEqualTo("1!4!cm93");
        assertThat(parsed(token).key(9)).isEqualTo(Key.of(9, "pk", "row"));
    }

    private static ContinuationToken parsed(ContinuationToken token) {
        ContinuationToken parsed =
                Objects.requireNonNull(ContinuationToken.parseEntities(token.nextPartitionKey(), token.nextRowKey()));
        return parsed;
    }

    @Test
    void piecesAreNeverEmptyEvenForEmptyKeys() {
        ContinuationToken token = ContinuationToken.ofEntities(Key.of(7, "", ""));
        assertThat(token.nextPartitionKey()).isEqualTo("1!0!");
        assertThat(token.nextRowKey()).isEqualTo("1!0!");
        assertThat(parsed(token).key(7)).isEqualTo(Key.of(7, "", ""));
    }

    @Test
    void placeBetweenPartitionsIsWhereTheNextOneBegins() {
        assertThat(parsed(ContinuationToken.ofEntities(Key.beforePartition(7, "abc")))
                        .key(7))
                .isEqualTo(Key.of(7, "abc", ""));
        Key behind = Key.afterPartition(7, "abc");
        Key again = parsed(ContinuationToken.ofEntities(behind)).key(7);
        assertThat(again).isGreaterThan(behind).isLessThan(Key.of(7, "abc ", ""));
        assertThat(parsed(ContinuationToken.ofEntities(Key.beforeTable(7))).key(7))
                .isEqualTo(Key.of(7, "", ""));
    }

    @Test
    void placeBehindAnEntitySurvives() {
        Key next = Key.of(7, "a", "b").next();
        assertThat(parsed(ContinuationToken.ofEntities(next)).key(7)).isEqualTo(next);
    }

    @Test
    void tokenOfAListOfTablesIsTheRegistrysRow() {
        ContinuationToken token = ContinuationToken.ofTables(Key.of(0, "acct", "orders"));
        assertThat(token.nextTableName()).isEqualTo("1!8!b3JkZXJz");
        ContinuationToken parsed = Objects.requireNonNull(ContinuationToken.parseTables(token.nextTableName()));
        assertThat(parsed.registryKey("acct")).isEqualTo(Key.of(0, "acct", "orders"));
        assertThat(ContinuationToken.parseTables(null)).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1!",
                "1!4",
                "1!4!",
                "1!3!cGs",
                "1!5!cGs-x",
                "2!4!cGs-",
                "1!04!cGs-",
                "1!-4!cGs-",
                "1!4!c-s-",
                "1!4!cGt-",
                "1!4!cGs=",
                "1!4!c\u00e9s-",
                "1!4!AGEA",
                "1!8!cGs-cGs-",
                "1%214%21cGs-",
                "a\u0000b"
            })
    void aTokenThatWasDamagedIsRefusedAndNotTakenForAKey(String piece) {
        Refused.with(ServiceCode.INVALID_INPUT, () -> ContinuationToken.parseEntities(piece, "1!0!"));
        if (!piece.equals("1!4!AGEA")) { // As a row it is one behind an entity.
            Refused.with(ServiceCode.INVALID_INPUT, () -> ContinuationToken.parseEntities("1!4!cGs-", piece));
            Refused.with(ServiceCode.INVALID_INPUT, () -> ContinuationToken.parseTables(piece));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"pk", "1", "10!", "p!4!cGs-", "a b", "it's", "\u00fc", "\ud801\udc37", "cGs-"})
    void plainTextIsTheKeyItself(String key) {
        ContinuationToken both = Objects.requireNonNull(ContinuationToken.parseEntities(key, key));
        assertThat(both.key(7)).isEqualTo(Key.of(7, key, key));
        ContinuationToken partition = Objects.requireNonNull(ContinuationToken.parseEntities(key, null));
        assertThat(partition.key(7)).isEqualTo(Key.of(7, key, ""));
        ContinuationToken half = Objects.requireNonNull(ContinuationToken.parseEntities("1!4!cGs-", key));
        assertThat(half.key(7)).isEqualTo(Key.of(7, "pk", key));
    }

    @Test
    void aHalfTokenIsRefusedAndAnEmptyOneIsNone() {
        Refused.with(ServiceCode.INVALID_INPUT, () -> ContinuationToken.parseEntities("1!4!cGs-", ""));
        Refused.with(ServiceCode.INVALID_INPUT, () -> ContinuationToken.parseEntities("pk", ""));
        Refused.with(ServiceCode.INVALID_INPUT, () -> ContinuationToken.parseEntities("", "1!0!"));
        Refused.with(ServiceCode.INVALID_INPUT, () -> ContinuationToken.parseEntities(null, "1!0!"));
        assertThat(ContinuationToken.parseEntities("", "")).isNull();
        assertThat(ContinuationToken.parseEntities("", null)).isNull();
        assertThat(ContinuationToken.parseEntities(null, "")).isNull();
        assertThat(ContinuationToken.parseEntities(null, null)).isNull();
        assertThat(ContinuationToken.parseTables("")).isNull();
    }
}
