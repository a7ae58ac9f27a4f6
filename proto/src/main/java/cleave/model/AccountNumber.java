package cleave.model;

/** The numbers by which partition servers tell accounts apart when they share what is scarce; they know nothing else of accounts. */
public final class AccountNumber {
    /** What belongs to no account. */
    public static final int NOBODY = 0;

    private static final int ANY = 1;

    private AccountNumber() {}

    /** Equal for equal names, on every front end; rarely equal for others, and then these share what one would have. Never 0. */
    public static int of(String account) {
        int number = account.hashCode() * 0x85EBCA6B;
        number ^= number >>> 15;
        return number == NOBODY ? ANY : number;
    }
}
