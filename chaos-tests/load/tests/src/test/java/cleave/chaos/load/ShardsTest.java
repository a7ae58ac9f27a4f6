package cleave.chaos.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class ShardsTest {
    @Test
    void aShardGetsTheOptionsOfItsParentButNotThoseThatAreTheParentsOwn() {
        List<String> arguments = List.of(
                "load",
                "--rate=100",
                "--shards",
                "3",
                "--json=all.json",
                "--table",
                "Mine",
                "--record",
                "all.jsonl",
                "--seconds",
                "5");

        assertThat(Shards.shares(arguments, "T", "2/3"))
                .containsExactly("load", "--rate=100", "--seconds", "5", "--table=T", "--shard=2/3");
        assertThat(Shards.shares(List.of("--rate=1"), "T", "1/1"))
                .containsExactly("load", "--rate=1", "--table=T", "--shard=1/1");
    }
}
