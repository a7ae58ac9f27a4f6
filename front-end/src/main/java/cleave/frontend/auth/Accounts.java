package cleave.frontend.auth;

import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * The accounts that are served, each with its keys: several at a time, so that a key can be changed without a pause. Immutable.
 * Never shown as text, since it holds secrets.
 */
public final class Accounts {
    /** The account that every SDK knows as {@code UseDevelopmentStorage=true}. Its key is no secret. */
    public static final String DEVELOPMENT_ACCOUNT = "devstoreaccount1";

    public static final String DEVELOPMENT_KEY =
            "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

    /** Fit for a host name's label and for a path. */
    private static final Pattern NAME = Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");

    private static final String SECONDARY = "-secondary";

    private final SortedMap<String, List<Signer>> signers;

    private Accounts(SortedMap<String, List<Signer>> signers) {
        this.signers = signers;
    }

    /**
     * Reads lines of {@code name=key}, the key in base64. Blank lines and lines that begin with # are skipped; an account with
     * several keys has several lines. An IllegalArgumentException names the line that is wrong, and not its key.
     */
    public static Accounts parse(List<String> lines) {
        SortedMap<String, List<Signer>> signers = new TreeMap<>();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            if (!line.isEmpty() && !line.startsWith("#")) {
                add(signers, line, i + 1);
            }
        }
        return new Accounts(signers);
    }

    private static void add(SortedMap<String, List<Signer>> signers, String line, int number) {
        int equals = line.indexOf('=');
        if (equals < 0) {
            throw wrong(number, "is not name=key");
        }
        String name = line.substring(0, equals).strip();
        if (!NAME.matcher(name).matches() || name.endsWith(SECONDARY)) {
            throw wrong(
                    number,
                    "has an account name that is not 1 to 63 lower-case letters, digits and inner hyphens, or that ends in "
                            + SECONDARY);
        }
        signers.computeIfAbsent(name, unused -> new ArrayList<>())
                .add(new Signer(key(line.substring(equals + 1).strip(), number)));
    }

    private static byte[] key(String text, int number) {
        try {
            byte[] key = Base64.getDecoder().decode(text);
            if (key.length > 0) {
                return key;
            }
        } catch (IllegalArgumentException e) {
            // Said below, without the text: it may be nearly a key.
        }
        throw wrong(number, "has a key that is not base64");
    }

    private static IllegalArgumentException wrong(int number, String what) {
        return new IllegalArgumentException("accounts: line " + number + " " + what);
    }

    /** Only the development account. */
    public static Accounts development() {
        return parse(List.of(DEVELOPMENT_ACCOUNT + "=" + DEVELOPMENT_KEY));
    }

    /** These and the development account. */
    public Accounts withDevelopmentAccount() {
        SortedMap<String, List<Signer>> all = new TreeMap<>(signers);
        for (Map.Entry<String, List<Signer>> account : development().signers.entrySet()) {
            List<Signer> both = new ArrayList<>(all.getOrDefault(account.getKey(), List.of()));
            both.addAll(account.getValue());
            all.put(account.getKey(), both);
        }
        return new Accounts(all);
    }

    public boolean contains(String account) {
        return signers.containsKey(account);
    }

    /** In alphabetical order. */
    public Set<String> names() {
        return Collections.unmodifiableSet(signers.keySet());
    }

    /** None for an account that is not served. */
    List<Signer> signers(String account) {
        return signers.getOrDefault(account, List.of());
    }
}
