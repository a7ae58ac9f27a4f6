package cleave.chaos.sim;

import cleave.server.outside.Space;

/** The space of a server's store disk. Confined to the simulation. */
final class SimDisk {
    private boolean full;
    private boolean told;

    /**
     * Fills the disk.
     *
     * @param tells whether the disk reports it
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
