package cleave.frontend.core;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.frontend.core.FakeCluster.Fault;
import cleave.frontend.request.Answer;
import cleave.model.entity.EntityCodec;
import cleave.model.table.AccessPolicy;
import cleave.model.table.Registry;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class AclTest {
    private static final String ACL = "/Orders?comp=acl";
    private static final String HEAD = "\ufeff<?xml version=\"1.0\" encoding=\"utf-8\"?>";
    private static final String POLICY = "<SignedIdentifiers><SignedIdentifier><Id>p1</Id><AccessPolicy>"
            + "<Start>2011-10-11</Start><Expiry>2011-10-12T01:02Z</Expiry><Permission>dr</Permission>"
            + "</AccessPolicy></SignedIdentifier></SignedIdentifiers>";
    private static final String POLICY_AS_GIVEN =
            HEAD + "<SignedIdentifiers><SignedIdentifier><Id>p1</Id><AccessPolicy>"
                    + "<Start>2011-10-11T00:00:00.0000000Z</Start><Expiry>2011-10-12T01:02:00.0000000Z</Expiry>"
                    + "<Permission>rd</Permission></AccessPolicy></SignedIdentifier></SignedIdentifiers>";

    private final CoreClient client = new CoreClient();

    private String acl() {
        Answer answer = client.ask("GET", ACL);
        assertThat(answer.status()).isEqualTo(200);
        return CoreClient.text(answer);
    }

    @Test
    void theTableStaysWhatItIs() {
        long id = client.table("Orders");
        client.ask("PUT", "/Orders(PartitionKey='p',RowKey='r')", "{}");

        client.ask("PUT", ACL, POLICY);

        assertThat(registered().id()).isEqualTo(id);
        assertThat(registered().name()).isEqualTo("Orders");
        assertThat(registered().policies())
                .containsExactly(new AccessPolicy("p1", 13_182_912_000_000_000L, 13_183_813_200_000_000L, "rd"));
        assertThat(client.ask("GET", "/Orders(PartitionKey='p',RowKey='r')").status())
                .isEqualTo(200);
    }

    private Registry registered() {
        byte[] stored = Objects.requireNonNull(client.cluster.get(Registry.key(CoreClient.ACCOUNT, "Orders")));
        return Objects.requireNonNull(Registry.of(EntityCodec.decode(stored)));
    }

    @Test
    void aTableThatIsBeingDeletedHasNoPolicies() {
        client.table("Orders");
        client.master.leaveDropsUndone();
        client.ask("DELETE", "/Tables('Orders')");

        assertThat(client.ask("GET", ACL).status()).isEqualTo(404);
        assertThat(client.ask("PUT", ACL, POLICY).status()).isEqualTo(404);
        assertThat(registered().deleting()).isTrue();
    }

    @Test
    void ofTwoWhoSetPoliciesAtOnceOneIsLast() {
        client.table("Orders");
        String other = POLICY.replace("p1", "p2");

        CompletableFuture<Answer> first = client.send("PUT", ACL, client.headers(), POLICY);
        CompletableFuture<Answer> second = client.send("PUT", ACL, client.headers(), other);

        assertThat(client.await(first).status()).isEqualTo(204);
        assertThat(client.await(second).status()).isEqualTo(204);
        assertThat(acl()).isIn(POLICY_AS_GIVEN, POLICY_AS_GIVEN.replace("p1", "p2"));
    }

    @Test
    void aTableThatTookTheNameMeanwhileIsReadAgainBeforeItGetsThePolicies() {
        client.table("Orders");
        byte[] other = EntityCodec.encode(new Registry(99, "ORDERS", false).toEntity());
        EntityCodec.stampTimestamp(other, 7);
        client.cluster.betweenReadAndWrite(() -> client.cluster.put(Registry.key(CoreClient.ACCOUNT, "Orders"), other));
        client.cluster.forgetCalls();

        assertThat(client.ask("PUT", ACL, POLICY).status()).isEqualTo(204);

        assertThat(client.cluster.calls()).containsExactly("read s1", "write s1", "read s1", "write s1");
        assertThat(registered().name()).isEqualTo("ORDERS");
        assertThat(acl()).isEqualTo(POLICY_AS_GIVEN);
    }

    @Test
    void aTableThatIsDeletedMeanwhileStaysDeleted() {
        client.table("Orders");
        client.cluster.betweenReadAndWrite(() -> client.cluster.remove(Registry.key(CoreClient.ACCOUNT, "Orders")));

        assertThat(client.ask("PUT", ACL, POLICY).status()).isEqualTo(404);
        assertThat(client.cluster.get(Registry.key(CoreClient.ACCOUNT, "Orders")))
                .isNull();
    }

    @Test
    void aTableThatIsMarkedAsDeletedMeanwhileIsLeftAlone() {
        long id = client.table("Orders");
        client.master.leaveDropsUndone();
        client.cluster.betweenReadAndWrite(() -> client.master.dropTable(CoreClient.ACCOUNT, "orders", id, 0));

        assertThat(client.ask("PUT", ACL, POLICY).status()).isEqualTo(404);
        assertThat(registered().policies()).isEmpty();
    }

    @Test
    void anUnknownOutcomeIsSaid() {
        client.table("Orders");
        client.cluster.failNext(Fault.NONE, Fault.LOST_ANSWER);

        Answer answer = client.ask("PUT", ACL, POLICY);

        assertThat(answer.status()).isEqualTo(500);
        assertThat(answer.header("x-ms-error-code")).isEqualTo("OperationTimedOut");
    }
}
