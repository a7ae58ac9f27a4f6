package cleave.frontend.protocol.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import cleave.frontend.protocol.odata.Refused;
import cleave.frontend.protocol.odata.ServiceCode;
import cleave.frontend.protocol.odata.ServiceError;
import cleave.model.Key;
import cleave.model.KeyRange;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GrantTest {
    private static Set<Right> rights(Grant grant) {
        return Arrays.stream(Right.values())
                .filter(right -> catchThrowable(() -> grant.check(right, "Orders")) == null)
                .collect(Collectors.toCollection(() -> EnumSet.noneOf(Right.class)));
    }

    private static Set<Right> named(@Nullable String names) {
        return names == null
                ? Set.of()
                : Arrays.stream(names.split(" ")).map(Right::valueOf).collect(Collectors.toSet());
    }

    @ParameterizedTest
    @CsvSource({
        "r, QUERY",
        "a, INSERT",
        "u, UPDATE",
        "d, DELETE",
        "au, INSERT UPDATE UPSERT",
        "raud, QUERY INSERT UPDATE UPSERT DELETE"
    })
    void permissionsOfATable(String permissions, String rights) {
        assertThat(rights(new Grant.OfTable("orders", permissions, KeySpan.ALL)))
                .isEqualTo(named(rights));
    }

    @ParameterizedTest
    @CsvSource({
        "s, rwdlacup, READ_SERVICE WRITE_SERVICE",
        "s, r, READ_SERVICE",
        "s, w, WRITE_SERVICE",
        "c, rwdlacup, QUERY LIST_TABLES CREATE_TABLE DELETE_TABLE",
        "c, l, LIST_TABLES",
        "c, c, CREATE_TABLE",
        "c, w, CREATE_TABLE",
        "c, d, DELETE_TABLE",
        "c, r, QUERY",
        "o, rwdlacup, QUERY INSERT UPDATE UPSERT DELETE",
        "o, r, QUERY",
        "o, a, INSERT",
        "o, u, UPDATE",
        "o, au, INSERT UPDATE UPSERT",
        "o, d, DELETE",
        "o, w,"
    })
    void permissionsOfAnAccountByResourceTypes(String types, String permissions, @Nullable String rights) {
        assertThat(rights(new Grant.OfAccount(permissions, types))).isEqualTo(named(rights));
    }

    private static ServiceCode refusal(Grant grant, Right right, String table) {
        Throwable thrown = catchThrowable(() -> grant.check(right, table));
        assertThat(thrown).isInstanceOf(ServiceError.class);
        return ((ServiceError) thrown).code();
    }

    @Test
    void refusalsSayWhatIsMissing() {
        Grant table = new Grant.OfTable("orders", "r", KeySpan.ALL);
        Grant account = new Grant.OfAccount("r", "o");
        assertThat(refusal(table, Right.INSERT, "Orders")).isEqualTo(ServiceCode.AUTHORIZATION_PERMISSION_MISMATCH);
        assertThat(refusal(table, Right.QUERY, "Other")).isEqualTo(ServiceCode.AUTHORIZATION_FAILURE);
        for (Right right : EnumSet.allOf(Right.class)) {
            if (!right.isOfEntities()) {
                assertThat(refusal(table, right, "Orders")).isEqualTo(ServiceCode.AUTHORIZATION_FAILURE);
            }
        }
        assertThat(refusal(account, Right.INSERT, "Orders")).isEqualTo(ServiceCode.AUTHORIZATION_PERMISSION_MISMATCH);
        assertThat(refusal(account, Right.LIST_TABLES, "")).isEqualTo(ServiceCode.AUTHORIZATION_RESOURCE_TYPE_MISMATCH);
        assertThat(refusal(account, Right.ACCESS_POLICIES, "Orders")).isEqualTo(ServiceCode.AUTHORIZATION_FAILURE);
        assertThat(refusal(new Grant.OfRoles(Set.of(Right.QUERY)), Right.INSERT, "Orders"))
                .isEqualTo(ServiceCode.AUTHORIZATION_PERMISSION_MISMATCH);
        assertThat(refusal(new Grant.OfRoles(Set.of()), Right.ACCESS_POLICIES, "Orders"))
                .isEqualTo(ServiceCode.RESOURCE_NOT_FOUND);
    }

    private static @Nullable String reason(Grant grant, Right right, String table) {
        return ((ServiceError) catchThrowable(() -> grant.check(right, table))).reason();
    }

    @Test
    void reasonsNameTheField() {
        Grant table = new Grant.OfTable("orders", "ra", new KeySpan("a", null, "b", null));
        Grant account = new Grant.OfAccount("ra", "o");
        assertThat(reason(table, Right.UPSERT, "Orders")).isEqualTo("sp is ra, but must contain a and u");
        assertThat(reason(table, Right.QUERY, "Other")).isEqualTo("tn is orders, the request is for another table");
        assertThat(reason(table, Right.LIST_TABLES, "")).contains("its entities alone");
        assertThat(((ServiceError) catchThrowable(() -> table.checkKeys(Right.INSERT, "c", ""))).reason())
                .contains("spk, srk, epk and erk");
        assertThat(reason(account, Right.DELETE, "Orders")).isEqualTo("sp is ra, but must contain d");
        assertThat(reason(account, Right.CREATE_TABLE, "")).isEqualTo("srt is o, but must contain c");
        assertThat(reason(new Grant.OfAccount("a", "s"), Right.QUERY, ""))
                .isEqualTo("srt is s, but must contain o or c");
        assertThat(reason(account, Right.ACCESS_POLICIES, "")).contains("access policies");
    }

    @Test
    void aKeyOfTheAccountMayDoEverything() {
        assertThat(rights(Grant.FULL)).isEqualTo(EnumSet.allOf(Right.class));
    }

    /** Bounds as in a signature: - is absent. Keys are compared as pairs. */
    @ParameterizedTest
    @CsvSource({
        "-, -, -, -, a, '', true",
        "b, -, -, -, a, z, false",
        "b, -, -, -, b, '', true",
        "b, 5, -, -, b, 4, false",
        "b, 5, -, -, b, 5, true",
        "b, 5, -, -, c, 1, true",
        "-, -, b, -, b, zzz, true",
        "-, -, b, -, b!, '', false",
        "-, -, b, -, c, '', false",
        "-, -, b, 5, b, 5, true",
        "-, -, b, 5, b, 50, false",
        "-, -, b, 5, a, 9, true",
        "b, 5, b, 7, b, 6, true",
        "b, 5, d, 7, c, 9, true",
        "d, -, b, -, c, '', false"
    })
    void keysLieWithinTheSpanOrNot(
            String startPartition,
            String startRow,
            String endPartition,
            String endRow,
            String partitionKey,
            String rowKey,
            boolean within) {
        KeySpan span = new KeySpan(given(startPartition), given(startRow), given(endPartition), given(endRow));
        Grant grant = new Grant.OfTable("orders", "r", span);

        KeyRange reached = grant.narrowed(KeyRange.ofTable(7));

        assertThat(reached != null && reached.contains(Key.of(7, partitionKey, rowKey)))
                .isEqualTo(within);
        if (within) {
            grant.checkKeys(Right.QUERY, partitionKey, rowKey);
        } else {
            Refused.with(ServiceCode.RESOURCE_NOT_FOUND, () -> grant.checkKeys(Right.QUERY, partitionKey, rowKey));
            for (Right right : List.of(Right.INSERT, Right.UPDATE, Right.UPSERT, Right.DELETE)) {
                Refused.with(ServiceCode.AUTHORIZATION_FAILURE, () -> grant.checkKeys(right, partitionKey, rowKey));
            }
        }
    }

    private static @Nullable String given(String text) {
        return text.equals("-") ? null : text;
    }

    @Test
    void aRangeIsCutToTheSpanAndNotWidened() {
        Grant grant = new Grant.OfTable("orders", "r", new KeySpan("b", null, "d", null));
        KeyRange within = new KeyRange(Key.of(7, "c", "1"), Key.of(7, "c", "2"));
        KeyRange over = new KeyRange(Key.of(7, "a", ""), Key.of(7, "c", "2"));
        KeyRange beside = new KeyRange(Key.of(7, "e", ""), null);

        assertThat(grant.narrowed(within)).isEqualTo(within);
        assertThat(grant.narrowed(over)).isEqualTo(new KeyRange(Key.of(7, "b", ""), Key.of(7, "c", "2")));
        assertThat(grant.narrowed(beside)).isNull();
    }
}
