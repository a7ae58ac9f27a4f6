package cleave.server.outside;

/**
 * Free space on the disk of a server's stores. Immutable.
 *
 * @param reserveBytes free space below which the server gets no more ranges
 */
public record Space(long freeBytes, long reserveBytes) {
    public boolean isLow() {
        return freeBytes < reserveBytes;
    }

    public cleave.wire.Space toWire() {
        return cleave.wire.Space.newBuilder()
                .setFreeBytes(freeBytes)
                .setReserveBytes(reserveBytes)
                .build();
    }

    @Override
    public String toString() {
        return "%d MiB free, below server.space-reserve of %d MiB".formatted(freeBytes >> 20, reserveBytes >> 20);
    }
}
