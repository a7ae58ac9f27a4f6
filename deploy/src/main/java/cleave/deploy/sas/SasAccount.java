package cleave.deploy.sas;

import cleave.client.Endpoint;
import cleave.client.SharedKey;
import cleave.deploy.CommandFailure;
import cleave.frontend.protocol.auth.Accounts;
import java.util.List;

/**
 * The account that signs. Immutable.
 *
 * @param address with the key that signs
 * @param accounts the account with all its keys and options, as a front end reads them
 */
record SasAccount(Endpoint address, Accounts accounts) {
    /** An account with one key. */
    static SasAccount of(Endpoint address) {
        SharedKey key = address.sharedKey();
        return new SasAccount(address, parsed(List.of(key.account() + "=" + key.key())));
    }

    /** Reads the lines of an accounts file. */
    static Accounts parsed(List<String> lines) {
        try {
            return Accounts.parse(lines);
        } catch (IllegalArgumentException wrong) {
            throw CommandFailure.usage(String.valueOf(wrong.getMessage()));
        }
    }

    String name() {
        return address.credential().account();
    }
}
