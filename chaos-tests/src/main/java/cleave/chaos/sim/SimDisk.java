package cleave.chaos.sim;

import cleave.server.outside.Space;

/** The disk of a server's stores, as far as its space goes. Confined to the simulation. */
final class SimDisk {
    private boolean full;
    private boolean told;

    /**
     * From now on nothing can be stored.
     *
     * @param tells whether the disk says so when it is asked
     */
    void fill(boolean tells) {
        full = true;
        told = tells;
    }

    void makeRoom() {
        full = false;
    }

    boolean isFull() {
        return full;
    }

    Space space() {
        return new Space(full && told ? 0 : 1L << 40, 1L << 30);
    }
}
