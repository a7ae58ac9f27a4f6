package cleave.deploy.sas;

import cleave.frontend.protocol.odata.DateTimeText;
import cleave.frontend.protocol.odata.QueryString;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The fields of a signature in words. Pure. */
final class FieldText {
    private static final List<String> ORDER = List.of(
            "sv", "tn", "ss", "srt", "sp", "st", "se", "si", "spk", "srk", "epk", "erk", "sip", "spr", "ses", "sig");
    private static final Set<String> OF_USER_DELEGATION =
            Set.of("skoid", "sktid", "skt", "ske", "sks", "skv", "saoid", "suoid", "scid", "sr", "sdd");

    private FieldText() {}

    /** The names in the query: those of signatures in their usual order, then the others. */
    static Set<String> names(QueryString query) {
        Set<String> names = new LinkedHashSet<>();
        ORDER.stream().filter(query::contains).forEach(names::add);
        query.forEachName(names::add);
        return names;
    }

    /** The value as it is shown: a signature is a secret. */
    static String shown(String name, String value) {
        return name.equals("sig") ? "(" + value.length() + " characters)" : value;
    }

    static String meaning(String name, String value, boolean isOfTable, long nowTicks) {
        return switch (name) {
            case "sv" -> "version of the protocol: how it is signed";
            case "tn" -> "for entities of this table";
            case "ss" -> "services: " + Letters.OF_SERVICES.inWords(value);
            case "srt" -> "resources: " + Letters.OF_RESOURCE_TYPES.inWords(value);
            case "sp" -> "permits: " + (isOfTable ? Letters.OF_TABLE : Letters.OF_ACCOUNT).inWords(value);
            case "st" -> "valid from: " + time(value, nowTicks) + "; may be 15 minutes ahead of the clock";
            case "se" -> "valid until: " + time(value, nowTicks);
            case "si" -> "what is not given here comes from this stored access policy of the table";
            case "spk" -> "the first PartitionKey";
            case "srk" -> "the first RowKey in it";
            case "epk" -> "the last PartitionKey";
            case "erk" -> "the last RowKey in it";
            case "sip" -> "only from these addresses";
            case "spr" -> value.equals("https") ? "over HTTPS alone" : "over these protocols";
            case "ses" -> "encryption scope; no effect on tables";
            case "sig" -> "the signature";
            default ->
                OF_USER_DELEGATION.contains(name)
                        ? "of signatures for blobs and files; no effect on tables"
                        : "not of a signature";
        };
    }

    private static String time(String value, long nowTicks) {
        Long ticks = DateTimeText.parse(value);
        return ticks == null ? "not a date and time" : TimeText.distance(ticks, nowTicks);
    }
}
