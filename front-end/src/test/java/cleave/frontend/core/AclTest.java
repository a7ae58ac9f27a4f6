package cleave.frontend.core;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.frontend.core.FakeCluster.Fault;
import cleave.frontend.request.Answer;
import cleave.model.entity.EntityCodec;
import cleave.model.table.AccessPolicy;
import cleave.model.table.Registry;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
    void aNewTableHasNoPolicies() {
        client.table("Orders");

        Answer answer = client.ask("GET", ACL);

        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.isPlain()).isTrue();
        assertThat(answer.header("Content-Type")).isEqualTo("application/xml");
        assertThat(CoreClient.text(answer)).isEqualTo(HEAD + "<SignedIdentifiers />");
    }

    @Test
    void policiesThatAreSetAreGivenInTheirNormalForm() {
        client.table("Orders");

        Answer set = client.ask("PUT", ACL, POLICY);

        assertThat(set.status()).isEqualTo(204);
        assertThat(set.isPlain()).isTrue();
        assertThat(set.headers()).isEmpty();
        assertThat(acl()).isEqualTo(POLICY_AS_GIVEN);
        assertThat(CoreClient.text(client.ask("GET", "/orders()?comp=acl"))).isEqualTo(POLICY_AS_GIVEN);
        assertThat(client.ask("HEAD", ACL).status()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "<SignedIdentifiers/>", "\ufeff<?xml version='1.0'?><SignedIdentifiers></SignedIdentifiers>"
            })
    void policiesAreReplacedAltogether(String none) {
        client.table("Orders");
        client.ask("PUT", ACL, POLICY);

        assertThat(client.ask("PUT", ACL, none).status()).isEqualTo(204);

        assertThat(acl()).isEqualTo(HEAD + "<SignedIdentifiers />");
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

    @ParameterizedTest
    @ValueSource(strings = {"/Nothing?comp=acl", "/no?comp=acl", "/No_Name?comp=acl"})
    void aTableThatThereIsNotHasNoPolicies(String target) {
        for (Answer answer : List.of(client.ask("GET", target), client.ask("PUT", target, POLICY))) {
            assertThat(answer.status()).isEqualTo(404);
            assertThat(answer.header("x-ms-error-code")).isEqualTo("ResourceNotFound");
            assertThat(answer.header("Content-Type")).isEqualTo("application/xml");
            assertThat(answer.isPlain()).isTrue();
            assertThat(CoreClient.text(answer)).contains("<m:code>ResourceNotFound</m:code>");
        }
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
    void malformedPoliciesLeaveTheOldOnes() {
        client.table("Orders");
        client.ask("PUT", ACL, POLICY);

        Answer refused = client.ask("PUT", ACL, "<SignedIdentifiers>");

        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.header("x-ms-error-code")).isEqualTo("InvalidXmlDocument");
        assertThat(acl()).isEqualTo(POLICY_AS_GIVEN);
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

    @Test
    void refusalsBeforeTheRequestIsLetInAreXmlToo() {
        Answer answer = client.ask("POST", ACL);

        assertThat(answer.status()).isEqualTo(405);
        assertThat(answer.header("x-ms-error-code")).isEqualTo("MethodNotAllowed");
        assertThat(answer.header("Content-Type")).isEqualTo("application/xml");
    }
}
