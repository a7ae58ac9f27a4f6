package cleave.deploy.play;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.deploy.play.Knowledge.Verdict;
import org.junit.jupiter.api.Test;

class KnowledgeTest {
    private static final Item ITEM = new Item("p0001", "c01");

    private final Knowledge knowledge = new Knowledge();

    @Test
    void whatWasAcknowledgedMustBeFound() {
        assertThat(knowledge.read(ITEM, Knowledge.ABSENT)).isEqualTo(Verdict.RIGHT);
        knowledge.acknowledged(ITEM, 3);
        knowledge.acknowledged(ITEM, 7);

        assertThat(knowledge.read(ITEM, 7)).isEqualTo(Verdict.RIGHT);
        assertThat(knowledge.read(ITEM, 3)).as("an older state").isEqualTo(Verdict.LOST);
        assertThat(knowledge.read(ITEM, Knowledge.ABSENT)).isEqualTo(Verdict.LOST);
        assertThat(knowledge.read(ITEM, 8)).as("never written").isEqualTo(Verdict.WRONG);
        assertThat(knowledge.read(ITEM, Long.MIN_VALUE)).as("another's").isEqualTo(Verdict.WRONG);
        assertThat(knowledge.isOpen(ITEM)).isTrue();
    }

    @Test
    void aWriteOfUnknownOutcomeMayBeFoundAtAnyTimeAndThenForGood() {
        knowledge.acknowledged(ITEM, 3);
        knowledge.unknown(ITEM, 4);

        assertThat(knowledge.isOpen(ITEM)).isFalse();
        assertThat(knowledge.expected(ITEM)).isEqualTo("write 3 or write 4");
        assertThat(knowledge.read(ITEM, 3)).isEqualTo(Verdict.RIGHT);
        assertThat(knowledge.read(ITEM, 4)).isEqualTo(Verdict.RIGHT);
        assertThat(knowledge.read(ITEM, 3)).as("it goes back").isEqualTo(Verdict.LOST);
        assertThat(knowledge.isOpen(ITEM)).isFalse();
    }

    @Test
    void whatLiesInAnIntervalMustBeFoundByAScanOfIt() {
        knowledge.acknowledged(ITEM, 1);
        knowledge.acknowledged(new Item("p0002", "c01"), 2);
        knowledge.acknowledged(new Item("p0003", "c01"), 3);

        assertThat(knowledge.between("p0001", "p0003")).containsOnlyKeys(ITEM, new Item("p0002", "c01"));
        knowledge.forget(ITEM);
        assertThat(knowledge.between("p0001", "p0002")).isEmpty();
    }
}
