package cleave.model.table;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.model.entity.Entity;
import cleave.model.entity.EntityCodec;
import java.util.List;
import org.junit.jupiter.api.Test;

final class RegistryTest {
    @Test
    void entryComesBackFromItsEntity() {
        Registry entry = new Registry(77, "Orders", false);
        byte[] stored = EntityCodec.encode(entry.toEntity());
        assertThat(EntityCodec.isWellFormed(stored)).isTrue();
        assertThat(Registry.of(EntityCodec.decode(stored))).isEqualTo(entry);
    }

    @Test
    void markOfDeletingChangesNothingElse() {
        byte[] stored = EntityCodec.encode(new Registry(77, "Orders", false).toEntity());
        byte[] marked = EntityCodec.merge(stored, EntityCodec.encode(Registry.markDeleting()));
        assertThat(Registry.of(EntityCodec.decode(marked))).isEqualTo(new Registry(77, "Orders", true));
    }

    @Test
    void policiesAreReplacedAsAWhole() {
        List<AccessPolicy> policies =
                List.of(new AccessPolicy("p1", 5L, 7L, "raud"), new AccessPolicy("p2", null, null, null));
        byte[] stored = EntityCodec.encode(new Registry(77, "Orders", false).toEntity());
        byte[] with = EntityCodec.merge(stored, EntityCodec.encode(Registry.replacePolicies(policies)));
        byte[] without = EntityCodec.merge(with, EntityCodec.encode(Registry.replacePolicies(List.of())));
        assertThat(Registry.of(EntityCodec.decode(with))).isEqualTo(new Registry(77, "Orders", false, policies));
        assertThat(Registry.of(EntityCodec.decode(without))).isEqualTo(new Registry(77, "Orders", false));
    }

    @Test
    void namesDifferingInCaseAreOneTable() {
        assertThat(Registry.key("acct", "Orders")).isEqualTo(Registry.key("acct", "oRDERS"));
        assertThat(Registry.key("acct", "Orders")).hasToString("0/acct/orders");
    }

    @Test
    void otherEntitiesAreNoEntries() {
        assertThat(Registry.of(new Entity(0, List.of()))).isNull();
    }
}
