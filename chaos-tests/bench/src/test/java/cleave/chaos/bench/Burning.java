package cleave.chaos.bench;

/** A process that computes until it is ended. */
final class Burning {
    private Burning() {}

    public static void main(String[] arguments) {
        long sum = 0;
        while (sum != Long.MIN_VALUE) {
            sum = next(sum);
        }
    }

    private static long next(long sum) {
        long next = sum;
        for (int i = 0; i < 1_000_000; i++) {
            next = next * 31 + i | 1;
        }
        return next;
    }
}
