package cleave.master.state;

import cleave.wire.PendingDrop;

/**
 * A Delete Table under way. Immutable.
 *
 * @param name of the table, in lower case
 * @param table the id that the registry row held when the drop was asked for
 */
public record Drop(String account, String name, long table) {
    static Drop fromWire(PendingDrop wire) {
        return new Drop(wire.getAccount(), wire.getName(), wire.getTable());
    }

    public PendingDrop toWire() {
        return PendingDrop.newBuilder()
                .setAccount(account)
                .setName(name)
                .setTable(table)
                .build();
    }

    @Override
    public String toString() {
        return account + "/" + name + " (" + table + ")";
    }
}
