package cleave.frontend.protocol.auth;

import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The accounts with their keys. An account may have several keys, so that a key can be replaced without downtime. Immutable. Has no text
 * form, because it contains secrets.
 */
public final class Accounts {
    /** The account that every SDK knows as {@code UseDevelopmentStorage=true}. Its key is public. */
    public static final String DEVELOPMENT_ACCOUNT = "devstoreaccount1";

    public static final String DEVELOPMENT_KEY =
            "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

    /** A legal label of a host name, and a legal segment of a path. */
    private static final Pattern NAME = Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");

    private static final String SECONDARY = "-secondary";

    private final SortedMap<String, Account> accounts;

    private Accounts(SortedMap<String, Account> accounts) {
        this.accounts = accounts;
    }

    /**
     * Reads lines of {@code name=key}, the key in base64; an account with several keys has several lines. Blank lines and lines
     * that begin with # are skipped. An IllegalArgumentException names the malformed line, without its key.
     *
     * <p>Lines of {@code name.option=value} set options of an account: {@code name.state=disabled}, {@code
     * name.https=required} and {@code name.keys=refused} (the account needs no key and accepts only bearer tokens). The defaults are
     * {@code enabled}, {@code optional} and {@code accepted}. {@code name.tokens} is {@code own} (the default: tokens must name the
     * account), {@code any} or {@code refused}.
     */
    public static Accounts parse(List<String> lines) {
        SortedMap<String, Draft> drafts = new TreeMap<>();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            if (!line.isEmpty() && !line.startsWith("#")) {
                read(drafts, line, i + 1);
            }
        }
        SortedMap<String, Account> accounts = new TreeMap<>();
        drafts.forEach((name, draft) -> accounts.put(name, draft.account(name)));
        return new Accounts(accounts);
    }

    private static void read(SortedMap<String, Draft> drafts, String line, int number) {
        int equals = line.indexOf('=');
        if (equals < 0) {
            throw wrong(number, "is not name=key");
        }
        String left = line.substring(0, equals).strip();
        String right = line.substring(equals + 1).strip();
        int dot = left.indexOf('.');
        String name = dot < 0 ? left : left.substring(0, dot);
        if (!NAME.matcher(name).matches() || name.endsWith(SECONDARY)) {
            throw wrong(
                    number,
                    "has an account name that is not 1 to 63 lower-case letters, digits and inner hyphens, or that ends in "
                            + SECONDARY);
        }
        Draft draft = drafts.computeIfAbsent(name, unused -> new Draft(number));
        if (dot < 0) {
            draft.signers.add(new Signer(key(right, number)));
        } else {
            draft.set(left.substring(dot + 1), right, number);
        }
    }

    private static byte[] key(String text, int number) {
        try {
            byte[] key = Base64.getDecoder().decode(text);
            if (key.length > 0) {
                return key;
            }
        } catch (IllegalArgumentException e) {
            // Reported below, without the text, which may be most of a key.
        }
        throw wrong(number, "has a key that is not base64");
    }

    private static IllegalArgumentException wrong(int number, String what) {
        return new IllegalArgumentException("accounts: line " + number + " " + what);
    }

    /** An account while its lines are read. */
    private static final class Draft {
        private final int firstLine;
        private final List<Signer> signers = new ArrayList<>(2);
        private boolean disabled;
        private boolean httpsRequired;
        private boolean keysRefused;
        private TokenScope tokens = TokenScope.OWN;

        Draft(int firstLine) {
            this.firstLine = firstLine;
        }

        void set(String option, String value, int number) {
            switch (option) {
                case "state" -> disabled = isSet(value, "disabled", "enabled", number);
                case "https" -> httpsRequired = isSet(value, "required", "optional", number);
                case "keys" -> keysRefused = isSet(value, "refused", "accepted", number);
                case "tokens" -> tokens = tokenScope(value, number);
                default -> throw wrong(number, "has an option that is none of state, https, keys and tokens");
            }
        }

        private static boolean isSet(String value, String set, String unset, int number) {
            if (!value.equals(set) && !value.equals(unset)) {
                throw wrong(number, "has a value that is neither " + set + " nor " + unset);
            }
            return value.equals(set);
        }

        private static TokenScope tokenScope(String value, int number) {
            return switch (value) {
                case "own" -> TokenScope.OWN;
                case "any" -> TokenScope.ANY;
                case "refused" -> TokenScope.NONE;
                default -> throw wrong(number, "has a value that is none of own, any and refused");
            };
        }

        /** An account without keys is probably a misspelled name in an option. */
        Account account(String name) {
            if (signers.isEmpty() && !keysRefused) {
                throw wrong(firstLine, "is of an account that has no line with a key");
            }
            if (keysRefused && tokens == TokenScope.NONE) {
                throw wrong(
                        firstLine,
                        "is of an account that refuses both keys and tokens; to close it, set its state=disabled");
            }
            return new Account(name, signers, disabled, httpsRequired, keysRefused, tokens);
        }
    }

    /** Only the development account. */
    public static Accounts development() {
        return parse(List.of(DEVELOPMENT_ACCOUNT + "=" + DEVELOPMENT_KEY));
    }

    /** These and the development account. */
    public Accounts withDevelopmentAccount() {
        SortedMap<String, Account> all = new TreeMap<>(accounts);
        for (Map.Entry<String, Account> known : development().accounts.entrySet()) {
            Account ours = accounts.get(known.getKey());
            all.put(
                    known.getKey(),
                    ours == null ? known.getValue() : ours.with(known.getValue().signers()));
        }
        return new Accounts(all);
    }

    public boolean contains(String account) {
        return accounts.containsKey(account);
    }

    /** In alphabetical order. */
    public Set<String> names() {
        return Collections.unmodifiableSet(accounts.keySet());
    }

    /** Null if it is unknown. */
    @Nullable
    Account find(String account) {
        return accounts.get(account);
    }
}
