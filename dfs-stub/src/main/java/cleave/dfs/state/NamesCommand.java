package cleave.dfs.state;

/** A change of names. Immutable; a malformed one is an IllegalArgumentException. A repeated command changes nothing and is answered like the first. */
public sealed interface NamesCommand {
    String path();

    /**
     * Makes a file with one empty extent.
     *
     * @param token by chance: tells a repeated command from a second creator
     */
    record CreateFile(String path, long token) implements NamesCommand {
        public CreateFile {
            Paths.check(path);
        }
    }

    /**
     * Seals the last extent of an open file and adds one. Naming the predecessor and its length is what makes this
     * safe. Only clients of earlier versions say it, and the journals of their time.
     */
    record AddExtent(String path, long predecessor, long sealedLength) implements NamesCommand {
        public AddExtent {
            Paths.check(path);
            Paths.checkLength(path, sealedLength);
        }
    }

    /** The first step of a seal: from now on no extent can be added. A path never created becomes an empty, sealed file. */
    record MarkSealing(String path) implements NamesCommand {
        public MarkSealing {
            Paths.check(path);
        }
    }

    /** The last step of a seal: the fenced length of the last extent. The first record stands forever. */
    record RecordSealed(String path, long extent, long length) implements NamesCommand {
        public RecordSealed {
            Paths.check(path);
            Paths.checkLength(path, length);
        }
    }

    /** The path is refused from now on; its extents are to be dropped. */
    record DeleteFile(String path) implements NamesCommand {
        public DeleteFile {
            Paths.check(path);
        }
    }

    /** All extents of a deleted file were dropped: they can be forgotten here. */
    record FinishDelete(String path) implements NamesCommand {
        public FinishDelete {
            Paths.check(path);
        }
    }
}
