package cleave.frontend.auth;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The accounts that are served, each with its keys. Immutable. */
public final class Accounts {
    /** The account that every SDK knows as {@code UseDevelopmentStorage=true}. Its key is no secret. */
    public static final String DEVELOPMENT_ACCOUNT = "devstoreaccount1";

    public static final String DEVELOPMENT_KEY =
            "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

    private final TreeMap<String, List<byte[]>> keys;

    private Accounts(Map<String, List<byte[]>> keys) {
        this.keys = new TreeMap<>(keys);
    }

    /** Reads lines of {@code name=key}; blank lines and lines that begin with # are skipped. An account may have two lines. */
    public static Accounts parse(List<String> lines) {
        throw new UnsupportedOperationException();
    }

    /** Only the development account. */
    public static Accounts development() {
        return parse(List.of(DEVELOPMENT_ACCOUNT + "=" + DEVELOPMENT_KEY));
    }

    /** These and the development account. */
    public Accounts withDevelopmentAccount() {
        throw new UnsupportedOperationException();
    }

    public boolean contains(String account) {
        return keys.containsKey(account);
    }

    public java.util.Set<String> names() {
        return java.util.Collections.unmodifiableSet(keys.keySet());
    }

    @Nullable
    List<byte[]> keys(String account) {
        return keys.get(account);
    }
}
