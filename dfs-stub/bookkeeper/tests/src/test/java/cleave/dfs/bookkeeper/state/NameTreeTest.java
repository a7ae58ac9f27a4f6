package cleave.dfs.bookkeeper.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class NameTreeTest {
    private static final NameTree TREE = new NameTree("/a/cleave");

    @Test
    void pathsAndNodesAreEachOther() {
        for (String path : List.of("a", ".", "..", "a/.", "ranges/17.0/42-s1.9-log-3", "a/b/c/d", "-/_/.")) {
            String[] parts =
                    TREE.file(path).substring("/a/cleave/names/".length()).split("/");
            assertThat(parts).as(path).hasSize(3).doesNotContain(".", "..", "");
            assertThat(NameTree.path(parts[0], parts[2])).isEqualTo(path);
            assertThat(TREE.parents(path))
                    .contains(TREE.file(path).substring(0, TREE.file(path).lastIndexOf('/')));
        }
    }

    /** Stored: a name that moved would be lost. */
    @Test
    void theFormIsFixed() {
        assertThat(TREE.file("ranges/17.0/42-s1.9-log-3")).isEqualTo("/a/cleave/names/ranges:/1aa/17.0:42-s1.9-log-3:");
        assertThat(TREE.deleted("identity")).isEqualTo("/a/cleave/deleted/:/204/identity:");
        assertThat(TREE.parents("x"))
                .startsWith("/a", "/a/cleave", "/a/cleave/names", "/a/cleave/names/:")
                .contains("/a/cleave/deleted/:");
    }

    @Test
    void aPrefixWithASlashIsInOneFolder() {
        assertThat(NameTree.folderOfPrefix("ranges/17")).isEqualTo("ranges:");
        assertThat(NameTree.folderOfPrefix("ranges")).isNull();
        assertThat(NameTree.folderOfPrefix("")).isNull();
    }

    @Test
    void twoMillionNamesFitIntoAnswersOfAMebibyte() {
        Map<String, Integer> bytes = new HashMap<>();
        for (int range = 0; range < 100_000; range++) {
            for (int file = 0; file < 20; file++) {
                String node =
                        TREE.file("ranges/" + range + ".0/123456-server-17.12345-checkpoint-" + (range * 31 + file));
                int slash = node.lastIndexOf('/');
                bytes.merge(node.substring(0, slash), node.length() - slash + 4, Integer::sum);
            }
        }
        assertThat(bytes).hasSize(1_024);
        assertThat(bytes.values()).allMatch(size -> size < 1 << 18);
    }
}
