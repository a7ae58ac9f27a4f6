package cleave.exchanges;

import cleave.client.Endpoint;
import cleave.client.Request;
import cleave.client.Requests;
import cleave.client.SharedKey;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * Signs requests as the files of exchanges say, in the first words of an exchange. Shares no code with the server. Immutable.
 *
 * @param kind {@code none}, {@code shared-key}, {@code shared-key-lite}, {@code table-sas}, {@code account-sas} or {@code bearer}
 * @param words the rest, {@code name=value}: fields of a SAS, claims of a token, and how to deviate from what is usual
 */
record Signing(String kind, Map<String, String> words) {
    /** The keys that every account of the exchanges has; {@code wrong} is nobody's. */
    static final Map<String, String> KEYS =
            Map.of("first", Endpoint.DEVELOPMENT_KEY, "second", "c2Vjb25kIGtleQ==", "wrong", "bm9ib2R5J3Mga2V5");

    private static final List<String> TABLE_FIELDS =
            List.of("sp", "st", "se", "", "si", "sip", "spr", "sv", "spk", "srk", "epk", "erk");
    private static final List<String> ACCOUNT_FIELDS =
            List.of("sp", "ss", "srt", "st", "se", "sip", "spr", "sv", "ses");

    /** @param filled puts what is known in the place of placeholders, which hold no blanks while what they stand for may */
    static Signing parse(String text, UnaryOperator<String> filled) {
        String[] parts = text.split(" ");
        Map<String, String> words = new LinkedHashMap<>();
        for (int i = 1; i < parts.length; i++) {
            int equals = parts[i].indexOf('=');
            words.put(parts[i].substring(0, equals), filled.apply(parts[i].substring(equals + 1)));
        }
        return new Signing(parts[0], words);
    }

    Request signed(Request request, String account, Instant now) {
        String key = KEYS.getOrDefault(words.getOrDefault("key", "first"), "");
        return switch (kind) {
            case "none" -> request;
            case "shared-key", "shared-key-lite" ->
                sharedKey(request, new SharedKey(words.getOrDefault("as", account), key), Request.date(now));
            case "table-sas" -> withSas(request, table(account, key), words.keySet());
            case "account-sas" -> withSas(request, account(account, key), words.keySet());
            case "bearer" -> request.with("Authorization", "Bearer " + TokenIssuer.token(account, words, now));
            default -> throw new IllegalArgumentException("no way to sign: " + kind);
        };
    }

    private Request sharedKey(Request request, SharedKey key, String now) {
        String date = words.getOrDefault("at", now);
        Request dated = request.with(words.getOrDefault("date", "x-ms-date"), date);
        String path = words.getOrDefault("path", request.path());
        String comp = words.getOrDefault("comp", comp(request));
        return dated.with(
                "Authorization",
                kind.equals("shared-key")
                        ? key.full(
                                request.method(),
                                request.header("Content-MD5"),
                                request.header("Content-Type"),
                                date,
                                path,
                                comp)
                        : key.lite(date, path, comp));
    }

    private static String comp(Request request) {
        return request.target().matches(".*[?&]comp=.*")
                ? request.target().replaceAll(".*[?&]comp=([^&]*).*", "$1")
                : "";
    }

    private String table(String account, String key) {
        String version = words.getOrDefault("sv", "");
        StringBuilder text = new StringBuilder();
        for (String field : TABLE_FIELDS) {
            boolean isNew = field.equals("sip") || field.equals("spr");
            if (!isNew || version.compareTo("2015-04-05") >= 0) {
                text.append(text.isEmpty() && field.equals("sp") ? "" : "\n");
                text.append(field.isEmpty() ? resource(account, version) : words.getOrDefault(field, ""));
            }
        }
        return new SharedKey(account, key).signature(text.toString());
    }

    private String resource(String account, String version) {
        String table = words.getOrDefault("tn", "").toLowerCase(Locale.ROOT);
        return (version.compareTo("2015-02-21") >= 0 ? "/table/" : "/") + account + "/" + table;
    }

    private String account(String account, String key) {
        boolean isLong = words.getOrDefault("form", "short").equals("long");
        StringBuilder text = new StringBuilder(account).append('\n');
        for (String field : ACCOUNT_FIELDS) {
            if (isLong || !field.equals("ses")) {
                text.append(words.getOrDefault(field, "")).append('\n');
            }
        }
        return new SharedKey(account, key).signature(text.toString());
    }

    /** A word such as {@code sent-sp=raud} replaces what was signed. */
    private Request withSas(Request request, String signature, Iterable<String> names) {
        StringBuilder target = new StringBuilder(request.target());
        for (String name : names) {
            if (TABLE_FIELDS.contains(name) || ACCOUNT_FIELDS.contains(name) || name.equals("tn")) {
                String value = words.getOrDefault("sent-" + name, words.getOrDefault(name, ""));
                target.append(target.indexOf("?") < 0 ? '?' : '&').append(Requests.option(name, value));
            }
        }
        target.append(target.indexOf("?") < 0 ? '?' : '&').append(Requests.option("sig", signature));
        return new Request(request.method(), target.toString(), request.headers(), request.body());
    }
}
