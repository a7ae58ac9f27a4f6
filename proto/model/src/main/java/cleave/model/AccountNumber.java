package cleave.model;

/** The numbers by which partition servers distinguish accounts for fair sharing; they know nothing else about accounts. */
public final class AccountNumber {
    /** The number for requests of no account. */
    public static final int NOBODY = 0;

    private static final int ANY = 1;

    private AccountNumber() {}

    /** A hash of the name, the same on every front end. Accounts with equal numbers share the quota of one. Never 0. */
    public static int of(String account) {
        int number = account.hashCode() * 0x85EBCA6B;
        number ^= number >>> 15;
        return number == NOBODY ? ANY : number;
    }
}
