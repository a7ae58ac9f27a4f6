package cleave.server.store;

import cleave.model.Key;
import cleave.model.manifest.Manifest;
import cleave.server.dfs.FileTransfer;
import cleave.server.outside.StoreException;
import cleave.server.outside.StoreException.Kind;
import com.google.protobuf.ByteString;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A local file of an in-memory store, as RocksDB makes them: entities and deletions in key order, in blocks that have got their checksums
 * when the file was written. It never changes, but for bits that rot. Confined to one thread.
 */
final class SortedFile {
    private static final int BLOCK_ENTITIES = 2;
    private static final int DELETED = -1;

    private final String name;
    private final List<Block> blocks;
    private final SortedMap<Key, Optional<Entry>> entries;
    /** The file of the DFS that it is a copy of; null before its checkpoint. */
    private Manifest.@Nullable File stored;

    /** An entity of a store. */
    interface Entity {
        /** A {@link StoreException} if it cannot be read. */
        byte[] bytes();

        int length();
    }

    /** An entity within a block. */
    private record Entry(Block block, int from, int length) implements Entity {
        @Override
        public byte[] bytes() {
            return Arrays.copyOfRange(block.read(), from, from + length);
        }
    }

    private static final class Block {
        private final String name;
        private final int checksum;
        /** The bytes as they came here. */
        private final byte[] whole;
        /** The bytes as they are now. */
        private byte[] bytes;

        private boolean isStoredDamaged;

        Block(String name, byte[] bytes, int checksum) {
            this.name = name;
            this.whole = bytes;
            this.bytes = bytes;
            this.checksum = checksum;
        }

        byte[] read() {
            if (FileTransfer.checksum(bytes) != checksum) {
                throw new StoreException(
                        isStoredDamaged ? Kind.STORED_DAMAGE : Kind.LOCAL_DAMAGE,
                        "a block of " + name + " is not what was written");
            }
            return bytes;
        }

        void flip(int bit) {
            bytes = bytes.clone();
            bytes[bit / 8] ^= (byte) (1 << bit % 8);
        }
    }

    private SortedFile(String name, List<Block> blocks, SortedMap<Key, Optional<Entry>> entries) {
        this.name = name;
        this.blocks = blocks;
        this.entries = entries;
    }

    /** Writes a file; nothing is a deletion. */
    static SortedFile of(String name, SortedMap<Key, Optional<byte[]>> changes) {
        List<Block> blocks = new ArrayList<>();
        TreeMap<Key, Optional<Entry>> entries = new TreeMap<>();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        TreeMap<Key, Optional<byte[]>> inBlock = new TreeMap<>();
        for (Map.Entry<Key, Optional<byte[]>> change : changes.entrySet()) {
            inBlock.put(change.getKey(), change.getValue());
            change.getValue().ifPresent(bytes::writeBytes);
            if (inBlock.size() == BLOCK_ENTITIES || change.getKey().equals(changes.lastKey())) {
                byte[] ended = bytes.toByteArray();
                Block block = new Block(name, ended, FileTransfer.checksum(ended));
                blocks.add(block);
                int from = 0;
                for (Map.Entry<Key, Optional<byte[]>> each : inBlock.entrySet()) {
                    int at = from;
                    int length = each.getValue().map(entity -> entity.length).orElse(0);
                    entries.put(each.getKey(), each.getValue().map(entity -> new Entry(block, at, length)));
                    from += length;
                }
                bytes.reset();
                inBlock.clear();
            }
        }
        return new SortedFile(name, blocks, entries);
    }

    String name() {
        return name;
    }

    Manifest.@Nullable File stored() {
        return stored;
    }

    void stored(Manifest.File file) {
        stored = file;
    }

    /** The file of the DFS counts no more. */
    void uploadAgain() {
        stored = null;
    }

    /** The file of the DFS is damaged, too. */
    void lost() {
        blocks.forEach(block -> block.isStoredDamaged = true);
    }

    /** The entry of each of its keys: an entity, or a deletion. */
    SortedMap<Key, ? extends Optional<? extends Entity>> entries() {
        return entries;
    }

    /** Compares each block with its checksum. */
    void verify() {
        blocks.forEach(Block::read);
    }

    /** Its bytes as they are now: those of its blocks, after an index. */
    ByteString bytes() {
        ByteArrayOutputStream index = new ByteArrayOutputStream();
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        try (DataOutputStream toIndex = new DataOutputStream(index);
                DataOutputStream out = new DataOutputStream(file)) {
            toIndex.writeInt(blocks.size());
            for (Block block : blocks) {
                toIndex.writeInt(block.bytes.length);
                toIndex.writeInt(block.checksum);
            }
            toIndex.writeInt(entries.size());
            for (Map.Entry<Key, Optional<Entry>> entry : entries.entrySet()) {
                byte[] key = entry.getKey().bytes();
                toIndex.writeInt(key.length);
                toIndex.write(key);
                toIndex.writeInt(entry.getValue().map(Entry::length).orElse(DELETED));
            }
            out.writeInt(index.size());
            out.writeInt(FileTransfer.checksum(index.toByteArray()));
            out.write(index.toByteArray());
            for (Block block : blocks) {
                out.write(block.bytes);
            }
        } catch (IOException never) {
            throw new UncheckedIOException(never);
        }
        return ByteString.copyFrom(file.toByteArray());
    }

    /**
     * Reads a file that has come from the DFS; a {@link StoreException} if its index is damaged, for then nothing of it can be read.
     *
     * @param isDamaged the DFS holds it damaged
     */
    static SortedFile restored(Manifest.File from, ByteString bytes, boolean isDamaged) {
        try (DataInputStream in = new DataInputStream(bytes.newInput())) {
            int indexLength = in.readInt();
            int checksum = in.readInt();
            byte[] index = in.readNBytes(Math.max(0, Math.min(indexLength, in.available())));
            if (FileTransfer.checksum(index) != checksum) {
                throw new StoreException(
                        isDamaged ? Kind.STORED_DAMAGE : Kind.LOCAL_DAMAGE, "the index of " + from + " is damaged");
            }
            SortedFile file = restored(
                    from, new DataInputStream(ByteString.copyFrom(index).newInput()), in);
            file.blocks.forEach(block -> block.isStoredDamaged = isDamaged);
            return file;
        } catch (IOException damaged) {
            throw new StoreException("a file of a checkpoint is cut off", damaged);
        }
    }

    private static SortedFile restored(Manifest.File from, DataInputStream index, DataInputStream in)
            throws IOException {
        List<Block> blocks = new ArrayList<>();
        for (int left = index.readInt(); left > 0; left--) {
            byte[] bytes = in.readNBytes(index.readInt());
            blocks.add(new Block(from.localName(), bytes, index.readInt()));
        }
        TreeMap<Key, Optional<Entry>> entries = new TreeMap<>();
        int at = 0;
        int count = index.readInt();
        for (int i = 0; i < count; i++) {
            at = i % BLOCK_ENTITIES == 0 ? 0 : at;
            Key key = Key.fromWire(ByteString.copyFrom(index.readNBytes(index.readInt())));
            int length = index.readInt();
            Block block = blocks.get(i / BLOCK_ENTITIES);
            entries.put(key, length == DELETED ? Optional.empty() : Optional.of(new Entry(block, at, length)));
            at += Math.max(0, length);
        }
        SortedFile file = new SortedFile(from.localName(), blocks, entries);
        file.stored(from);
        return file;
    }

    /** The number of bits that can be flipped: those of entities. */
    int bits() {
        return 8 * blocks.stream().mapToInt(block -> block.bytes.length).sum();
    }

    /** Flips one of its bits. */
    void flip(int bit) {
        int left = bit;
        for (Block block : blocks) {
            int bits = 8 * block.bytes.length;
            if (left < bits) {
                block.flip(left);
                return;
            }
            left -= bits;
        }
        throw new IllegalArgumentException(name + " has no bit " + bit);
    }

    /** All bits are again as they came here. */
    void mend() {
        blocks.forEach(block -> block.bytes = block.whole);
    }
}
