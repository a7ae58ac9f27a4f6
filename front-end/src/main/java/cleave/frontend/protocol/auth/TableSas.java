package cleave.frontend.protocol.auth;

import cleave.frontend.protocol.odata.QueryString;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Shared access signatures of one table. */
final class TableSas {
    private static final String WITH_SERVICE = "2015-02-21";

    private TableSas() {}

    static String stringToSign(QueryString query, String version, String account) {
        StringBuilder text = new StringBuilder(200);
        for (String name : new String[] {"sp", "st", "se"}) {
            text.append(SasFields.signed(query, name)).append('\n');
        }
        text.append(version.compareTo(WITH_SERVICE) >= 0 ? "/table/" : "/");
        text.append(account).append('/').append(table(query)).append('\n');
        text.append(SasFields.signed(query, "si")).append('\n');
        if (version.compareTo(SasFields.WITH_SOURCE) >= 0) {
            text.append(SasFields.signed(query, "sip")).append('\n');
            text.append(SasFields.signed(query, "spr")).append('\n');
        }
        text.append(version);
        for (String name : new String[] {"spk", "srk", "epk", "erk"}) {
            text.append('\n').append(SasFields.signed(query, name));
        }
        return text.toString();
    }

    private static String table(QueryString query) {
        return SasFields.signed(query, "tn").toLowerCase(Locale.ROOT);
    }

    /** The grant of a valid signature. */
    static Grant grant(QueryString query, long nowTicks) {
        Terms terms = Terms.of(query);
        String permissions = terms.permissions();
        if (permissions != null && !SasFields.consistsOf(permissions, "raud")) {
            throw AuthenticationError.failed("sp has letters that are not of 'raud'");
        }
        String policy = SasFields.given(query, "si");
        return policy == null
                ? new Grant.OfTable(table(query), terms.inForce(nowTicks), keys(query))
                : new Grant.ByPolicy(table(query), policy, terms, keys(query));
    }

    private static KeySpan keys(QueryString query) {
        String startRow = key(query, "srk");
        String endRow = key(query, "erk");
        return new KeySpan(partition(query, "spk", startRow), startRow, partition(query, "epk", endRow), endRow);
    }

    /** An empty PartitionKey has an effect only with a RowKey: without one, its signature is that of an absent key. */
    private static @Nullable String partition(QueryString query, String name, @Nullable String row) {
        if (row == null) {
            return key(query, name);
        }
        if (!query.contains(name)) {
            throw AuthenticationError.failed("srk needs spk, and erk needs epk");
        }
        return SasFields.signed(query, name);
    }

    private static @Nullable String key(QueryString query, String name) {
        String key = SasFields.given(query, name);
        if (key != null && key.indexOf('\0') >= 0) {
            throw AuthenticationError.failed(name + " is no key");
        }
        return key;
    }
}
