package cleave.frontend.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.frontend.protocol.atom.AtomFormat;
import cleave.frontend.protocol.atom.AtomReader;
import cleave.frontend.protocol.batch.BatchParser;
import cleave.frontend.protocol.batch.BatchRequest;
import cleave.frontend.protocol.odata.AddressStyle;
import cleave.frontend.protocol.odata.BaseUri;
import cleave.frontend.protocol.odata.Body;
import cleave.frontend.protocol.odata.EntityBody;
import cleave.frontend.protocol.odata.EntityJsonReader;
import cleave.frontend.protocol.odata.EntityJsonWriter;
import cleave.frontend.protocol.odata.EntityView;
import cleave.frontend.protocol.odata.FilterParser;
import cleave.frontend.protocol.odata.JsonAnswer;
import cleave.frontend.protocol.odata.MetadataLevel;
import cleave.frontend.protocol.odata.Payload;
import cleave.frontend.protocol.odata.QueryOptions;
import cleave.frontend.protocol.odata.QueryString;
import cleave.frontend.protocol.odata.Resource;
import cleave.frontend.protocol.odata.ResourceAddress;
import cleave.frontend.protocol.odata.Selection;
import cleave.frontend.protocol.odata.ServiceError;
import cleave.frontend.protocol.odata.TableJson;
import cleave.frontend.protocol.service.ServiceProperties;
import cleave.frontend.protocol.service.ServicePropertiesXml;
import cleave.frontend.protocol.service.SignedIdentifiers;
import cleave.frontend.routing.QueryPlan;
import cleave.model.Key;
import cleave.model.Limits;
import cleave.model.entity.EdmType;
import cleave.model.entity.Entity;
import cleave.model.entity.EntityCodec;
import cleave.model.entity.Filter;
import cleave.model.entity.FilterCodec;
import cleave.model.entity.FilterEvaluator;
import cleave.model.entity.Property;
import cleave.model.table.AccessPolicy;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Every reader of what clients send, on texts that no client should send. */
class ParserFuzzTest {
    private static final ResourceAddress OUTER = ResourceAddress.parse("/acct/$batch", "h", AddressStyle.PATH);
    private static final BaseUri BASE = new BaseUri("acct", "http://127.0.0.1:10002/acct");
    private static final Key KEY = Key.of(1, "p", "r");
    private static final byte[] ENTITY = EntityCodec.encode(
            new Entity(1, List.of(new Property("A", EdmType.INT32, 1), new Property("Flag", EdmType.BOOLEAN, true))));

    /** Each filter that can be read travels, runs and is planned, and means the same everywhere. */
    @Test
    void filters() {
        Fuzz.of("filter", 2000).run(6_000, text -> {
            if (text.isBlank()) {
                return "blank";
            }
            Filter filter = FilterParser.parse(text);
            boolean matches = filter instanceof Filter.Constant constant ? constant.value() : matches(filter);
            QueryPlan plan = QueryPlan.ofEntities(KEY.table(), filter, null);
            assertThat((plan.range() != null && plan.range().contains(KEY)) || !matches)
                    .as("what matches lies within the plan")
                    .isTrue();
            return kind(filter) + matches + plan.queryClass() + kindOfTables(filter);
        });
    }

    private static boolean matches(Filter filter) {
        boolean matches = FilterEvaluator.matches(filter, KEY, ENTITY);
        Filter received = FilterCodec.fromWire(FilterCodec.toWire(filter));
        assertThat(FilterEvaluator.matches(received, KEY, ENTITY)).isEqualTo(matches);
        return matches;
    }

    private static String kindOfTables(Filter filter) {
        try {
            return QueryPlan.ofTables("acct", filter, null).queryClass().name();
        } catch (ServiceError refused) {
            return refused.code().name();
        }
    }

    private static String kind(Filter filter) {
        if (filter instanceof Filter.Compare compare) {
            return compare.operator() + " " + compare.literal().type();
        }
        if (filter instanceof Filter.And and) {
            return "and(" + and.left().getClass() + and.right().getClass();
        }
        if (filter instanceof Filter.Or or) {
            return "or(" + or.left().getClass() + or.right().getClass();
        }
        if (filter instanceof Filter.Constant constant) {
            return constant.toString();
        }
        return filter instanceof Filter.Not not ? "not(" + not.operand().getClass() : "flag";
    }

    @Test
    void queryStrings() {
        Fuzz.of("query", 2000).run(8_000, text -> {
            QueryString query = QueryString.parse(text);
            return told(() -> QueryOptions.ofEntityQuery(query))
                    + told(() -> QueryOptions.ofTableQuery(query))
                    + told(() -> QueryOptions.ofPointGet(query))
                    + told(() -> QueryOptions.timeoutSeconds(query));
        });
    }

    private static String told(Runnable call) {
        try {
            call.run();
            return "fine";
        } catch (ServiceError refused) {
            assertThat(refused.status()).isIn(400, 413, 501);
            return refused.code().name();
        }
    }

    /** Each entity that can be read keeps all limits, is well-formed as bytes, and is read again from its own JSON. */
    @Test
    void bodiesOfEntities() {
        Fuzz.of("json", 2000).run(4_000, text -> {
            Body body = Body.of(Fuzz.bytes(text));
            String others = told(() -> TableJson.readCreate(body))
                    + told(() -> EntityJsonReader.read(body).ofUpsert(new Resource.EntityAddress("Orders", "p", "r")));
            EntityBody read = EntityJsonReader.read(body).ofInsert();
            Key key = Key.of(1, Objects.requireNonNull(read.partitionKey()), Objects.requireNonNull(read.rowKey()));
            byte[] stored = EntityCodec.encode(read.entity());
            assertThat(EntityCodec.problem(stored)).isNull();
            assertThat(EntityCodec.size(key, stored)).isLessThanOrEqualTo(Limits.ENTITY_BYTES_MAX);
            for (MetadataLevel level : List.of(MetadataLevel.MINIMAL, MetadataLevel.FULL)) {
                JsonAnswer answer = new JsonAnswer(BASE, "Orders", level, Selection.ALL);
                EntityBody again = EntityJsonReader.read(Body.of(EntityJsonWriter.entity(answer, key, stored)))
                        .ofInsert();
                assertThat(again.partitionKey()).isEqualTo(read.partitionKey());
                assertThat(again.rowKey()).isEqualTo(read.rowKey());
                assertThat(EntityCodec.encode(again.entity())).isEqualTo(stored);
            }
            return others
                    + read.entity().properties().stream().map(Property::type).toList();
        });
    }

    /** Each entry that can be read keeps all limits, and is read again from its own Atom. */
    @Test
    void entries() {
        Fuzz.of("atom", 4000).run(4_000, text -> {
            Body body = Body.of(Fuzz.bytes(text));
            String others = told(() -> AtomReader.read(body).ofCreate())
                    + told(() -> AtomReader.read(body).ofUpsert(new Resource.EntityAddress("Orders", "p", "r")));
            EntityBody read = AtomReader.read(body).ofInsert();
            Key key = Key.of(1, Objects.requireNonNull(read.partitionKey()), Objects.requireNonNull(read.rowKey()));
            byte[] stored = EntityCodec.encode(read.entity());
            assertThat(EntityCodec.problem(stored)).isNull();
            assertThat(EntityCodec.size(key, stored)).isLessThanOrEqualTo(Limits.ENTITY_BYTES_MAX);
            Payload written = new AtomFormat(0).entity(new EntityView(BASE, "Orders", Selection.ALL), key, stored);
            EntityBody again = AtomReader.read(Body.of(written.bytes())).ofInsert();
            assertThat(again.partitionKey()).isEqualTo(read.partitionKey());
            assertThat(again.rowKey()).isEqualTo(read.rowKey());
            assertThat(EntityCodec.encode(again.entity())).isEqualTo(stored);
            return others
                    + read.entity().properties().stream().map(Property::type).toList();
        });
    }

    /** Policies and properties of the service that can be read are written such that they are read as the same. */
    @Test
    void documents() {
        Fuzz.of("xml", 4000).run(5_000, text -> {
            Body body = Body.of(Fuzz.bytes(text));
            String properties = told(() -> {
                ServiceProperties read = ServicePropertiesXml.read(body);
                // A property that was left out keeps its value, so it is written with the value that the service has at
                // first.
                byte[] written = ServicePropertiesXml.write(ServiceProperties.DEFAULT.with(read));
                assertThat(ServicePropertiesXml.write(
                                ServiceProperties.DEFAULT.with(ServicePropertiesXml.read(Body.of(written)))))
                        .isEqualTo(written);
            });
            return properties
                    + told(() -> {
                        List<AccessPolicy> policies = SignedIdentifiers.read(body);
                        assertThat(policies).hasSizeLessThanOrEqualTo(5);
                        assertThat(SignedIdentifiers.read(Body.of(SignedIdentifiers.write(policies))))
                                .isEqualTo(policies);
                    });
        });
    }

    /** Each batch that can be read is made of pieces of its body. */
    @Test
    void batches() {
        Fuzz.of("batch", 2000).run(8_000, text -> {
            byte[] bytes = Fuzz.bytes(text);
            BatchRequest batch = BatchParser.parse(Body.of(bytes), "multipart/mixed; boundary=b", OUTER);
            assertThat(batch.operations()).hasSizeBetween(batch.isQuery() ? 1 : 0, Limits.TRANSACTION_OPERATIONS_MAX);
            StringBuilder outcome = new StringBuilder();
            batch.operations().forEach(operation -> {
                assertThat(operation.body().array()).isSameAs(bytes);
                outcome.append(operation.method())
                        .append(operation.resource().getClass())
                        .append(operation.body().isEmpty())
                        .append(operation.contentId() == null);
            });
            return outcome.substring(0, Math.min(200, outcome.length()));
        });
    }

    /** An address of an entity that was read is what its link says. */
    @Test
    void addresses() {
        Fuzz.of("address", 2000).run(6_000, text -> {
            String inner = told(() -> ResourceAddress.parseInner(text, OUTER));
            int scheme = text.indexOf("://");
            String path = scheme < 0 ? text : text.substring(scheme + 3);
            String host = scheme < 0 ? "127.0.0.1" : path;
            ResourceAddress address = ResourceAddress.parse(path, host, AddressStyle.BY_HOST);
            if (address.resource() instanceof Resource.EntityAddress entity) {
                String link = BASE.ofEntity("Orders", entity.partitionKey(), entity.rowKey());
                assertThat(link).matches("[-a-zA-Z0-9._~!$&'()*+,;=:@%/]*");
                assertThat(ResourceAddress.parseInner(link, OUTER).resource())
                        .isEqualTo(new Resource.EntityAddress("Orders", entity.partitionKey(), entity.rowKey()));
            }
            return inner
                    + address.style()
                    + address.secondary()
                    + address.resource().getClass();
        });
    }
}
