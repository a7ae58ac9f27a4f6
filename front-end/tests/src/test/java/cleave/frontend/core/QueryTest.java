package cleave.frontend.core;

import static org.assertj.core.api.Assertions.assertThat;

import cleave.frontend.core.FakeCluster.Fault;
import cleave.frontend.request.Answer;
import cleave.frontend.settings.FrontEndConfig.RequestLimits;
import cleave.model.Key;
import cleave.model.Limits;
import cleave.wire.ScanRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class QueryTest {
    private static final Pattern ROW_KEY = Pattern.compile("\"RowKey\":\"([^\"]*)\"");
    private static final String NEXT_PARTITION = "x-ms-continuation-NextPartitionKey";
    private static final String NEXT_ROW = "x-ms-continuation-NextRowKey";

    private final CoreClient client = new CoreClient();

    /** Partitions a, b, c, ... of ten entities each; RowKeys a0, a1, ..., b0, ... */
    private long partitions(int number) {
        long table = client.table("Orders");
        for (int p = 0; p < number; p++) {
            String partition = String.valueOf((char) ('a' + p));
            for (int i = 0; i < 10; i++) {
                client.entity(table, partition, partition + i, i);
            }
        }
        return table;
    }

    private static List<String> rowKeys(Answer answer) {
        List<String> keys = new ArrayList<>();
        Matcher matcher = ROW_KEY.matcher(CoreClient.text(answer));
        while (matcher.find()) {
            keys.add(matcher.group(1));
        }
        return keys;
    }

    private static List<String> allRowKeys(int partitions) {
        List<String> keys = new ArrayList<>();
        for (int p = 0; p < partitions; p++) {
            for (int i = 0; i < 10; i++) {
                keys.add((char) ('a' + p) + "" + i);
            }
        }
        return keys;
    }

    private Answer page(String query, @Nullable Answer before) {
        String token = before == null
                ? ""
                : "&NextPartitionKey=" + before.header(NEXT_PARTITION) + "&NextRowKey=" + before.header(NEXT_ROW);
        return client.ask("GET", "/Orders()?" + query + token);
    }

    /** Follows the tokens to the end; between pages something happens. */
    private List<String> follow(String query, Runnable betweenPages) {
        List<String> keys = new ArrayList<>();
        @Nullable Answer answer = null;
        do {
            answer = page(query, answer);
            assertThat(answer.status()).as(CoreClient.text(answer)).isEqualTo(200);
            keys.addAll(rowKeys(answer));
            betweenPages.run();
        } while (answer.header(NEXT_PARTITION) != null);
        return keys;
    }

    @Test
    void onePageCrossesTheRangesOfSeveralServersInKeyOrder() {
        long table = partitions(5);
        client.cluster
                .splitAt(Key.beforePartition(table, "b"), Key.beforePartition(table, "d"))
                .publish();

        Answer answer = client.ask("GET", "/Orders()", client.headers().with("x-cleave-explain", "true"), "");

        assertThat(rowKeys(answer)).isEqualTo(allRowKeys(5));
        assertThat(answer.header(NEXT_PARTITION)).isNull();
        assertThat(answer.header("x-cleave-explain"))
                .startsWith(
                        "class=table-scan; ranges=3; servers=3; calls=3; examined=50; received=50; returned=50; ms=")
                .endsWith("; range-ids=2.0,3.0,3.1; server-ids=s1,s2,s3");
        assertThat(client.metric("cleave_front_end_query_ranges_total", "class", "table-scan"))
                .isEqualTo(3);
        assertThat(client.metric("cleave_front_end_query_servers_total", "class", "table-scan"))
                .isEqualTo(3);
    }

    @Test
    void aBoundInsideATableThatIsNobodysPartitionChangesNothing() {
        long table = partitions(3);
        client.cluster
                .splitAt(Key.beforePartition(table, "aa"), Key.beforePartition(table, "bzzz"), Key.beforeTable(table))
                .publish();

        assertThat(follow("$top=7", () -> {})).isEqualTo(allRowKeys(3));
    }

    @Test
    void pagesEndAtTopAndGoOnAtTheTokenExactlyOnce() {
        partitions(3);

        assertThat(follow("$top=1", () -> {})).isEqualTo(allRowKeys(3));
        assertThat(follow("$top=7", () -> {})).isEqualTo(allRowKeys(3));
        assertThat(follow("$top=30", () -> {})).isEqualTo(allRowKeys(3));
    }

    /** The answers to other requests would wait behind a large one on the stream that they share. */
    @Test
    void aLargePageGoesOnWhereItsFirstAnswerWasCutAndHasTheRestByItself() {
        long table = client.table("Orders");
        client.cluster.splitAt(Key.beforePartition(table, "q")).publish();
        for (String partition : List.of("p", "q")) {
            int first = partition.equals("p") ? 10 : 30;
            for (int i = first; i < first + 20; i++) {
                client.ask(
                        "POST",
                        "/Orders",
                        "{\"PartitionKey\":\"" + partition + "\",\"RowKey\":\"" + i + "\",\"Text\":\""
                                + "x".repeat(20_000) + "\"}");
            }
        }

        Answer whole = page("", null);

        assertThat(rowKeys(whole)).hasSize(40).doesNotHaveDuplicates().isSorted();
        assertThat(whole.header(NEXT_PARTITION)).isNull();
        assertThat(client.cluster.scans())
                .extracting(ScanRequest::getBytesMax)
                .containsExactly(Limits.SHARED_SCAN_BYTES_MAX, 0, 0);
    }

    @Test
    void aPageHoldsAThousandEntities() {
        long table = client.table("Orders");
        for (int i = 0; i < 2500; i++) {
            client.entity(table, "p", String.format("%05d", i), i);
        }

        Answer first = page("", null);

        assertThat(rowKeys(first)).hasSize(1000).startsWith("00000").endsWith("00999");
        Answer second = page("", first);
        Answer third = page("", second);
        assertThat(rowKeys(second)).hasSize(1000).startsWith("01000");
        assertThat(rowKeys(third)).hasSize(500).endsWith("02499");
        assertThat(third.header(NEXT_PARTITION)).isNull();
    }

    @Test
    void tokensSurviveSplitsAndMovesBetweenPages() {
        long table = partitions(6);
        List<Runnable> changes = new ArrayList<>(List.of(
                () -> client.cluster.splitAt(Key.beforePartition(table, "c")),
                () -> client.cluster.move(Key.beforePartition(table, "d"), "s4"),
                () -> client.cluster.publish(),
                () -> client.cluster.splitAt(Key.beforePartition(table, "e")).publish()));

        List<String> keys = follow("$top=9", () -> {
            if (!changes.isEmpty()) {
                changes.remove(0).run();
            }
        });

        assertThat(keys).isEqualTo(allRowKeys(6));
    }

    @Test
    void aFrontEndThatIsSeveralSplitsBehindStillReadsEverythingOnce() {
        long table = partitions(6);
        client.cluster.publish();
        client.cluster.splitAt(
                Key.beforePartition(table, "b"), Key.beforePartition(table, "d"), Key.beforePartition(table, "f"));

        assertThat(rowKeys(page("", null))).isEqualTo(allRowKeys(6));
    }

    @Test
    void whereAServerStoppedThePageEndsWithAToken() {
        partitions(2);
        client.cluster.stopScansAfter(4);

        Answer first = page("", null);

        assertThat(rowKeys(first)).containsExactly("a0", "a1", "a2", "a3");
        assertThat(follow("", () -> {})).isEqualTo(allRowKeys(2));
    }

    @Test
    void aPageMayBeEmptyWithAToken() {
        partitions(3);
        client.cluster.stopScansAfter(5);

        Answer first = page("$filter=RowKey%20eq%20'c9'", null);

        assertThat(rowKeys(first)).isEmpty();
        assertThat(first.header(NEXT_PARTITION)).isNotEmpty();
        assertThat(follow("$filter=RowKey%20eq%20'c9'", () -> {})).containsExactly("c9");
    }

    @Test
    void aPageWithoutProgressIsRefusedAndHasNoToken() {
        partitions(1);
        client.cluster.failNext(Fault.NO_PROGRESS);
        client.ask("GET", "/Orders()?$top=0"); // The registry has been read then.
        client.cluster.failNext(Fault.NO_PROGRESS);

        Answer answer = page("", null);

        assertThat(answer.status()).isEqualTo(503);
        assertThat(answer.header("Retry-After")).isEqualTo("1");
        assertThat(answer.header(NEXT_PARTITION)).isNull();
    }

    @Test
    void aRangeThatStaysBusyEndsThePageWithATokenOnceSomethingWasRead() {
        long table = partitions(4);
        client.cluster.splitAt(Key.beforePartition(table, "c")).publish();
        client.cluster.refuseScansAfter(1);
        long began = client.loop.nanos();

        Answer first = page("", null);

        assertThat(rowKeys(first)).isEqualTo(allRowKeys(2));
        assertThat(first.header(NEXT_PARTITION)).isNotNull();
        assertThat(client.loop.nanos() - began).isLessThanOrEqualTo(TimeUnit.SECONDS.toNanos(6));
        client.cluster.refuseScansAfter(Integer.MAX_VALUE);
        assertThat(rowKeys(page("", first))).isEqualTo(allRowKeys(4).subList(20, 40));
    }

    @Test
    void aRangeThatStaysBusyFromTheStartIsServerBusyLongBeforeTheDeadline() {
        partitions(1);
        client.ask("GET", "/Orders()?$top=0");
        client.cluster.refuseScansAfter(0);
        long began = client.loop.nanos();

        Answer answer = page("timeout=7", null);

        assertThat(answer.status()).isEqualTo(503);
        assertThat(CoreClient.text(answer)).contains("\"ServerBusy\"");
        assertThat(answer.header("Retry-After")).isEqualTo("1");
        assertThat(client.loop.nanos() - began).isBetween(TimeUnit.SECONDS.toNanos(2), TimeUnit.SECONDS.toNanos(3));
    }

    @ParameterizedTest
    @EnumSource(names = {"BUSY", "UNAVAILABLE", "LOST_ANSWER", "LOST_REQUEST"})
    void aScanIsSentAgainAfterAnyFailureOfItsCall(Fault fault) {
        partitions(1);
        client.ask("GET", "/Orders()?$top=0");
        client.cluster.failNext(fault, fault, fault);

        assertThat(rowKeys(page("", null))).isEqualTo(allRowKeys(1));
    }

    @Test
    void aPageEndsWhenItsTimeIsOver() {
        RequestLimits hasty = new RequestLimits(
                TimeUnit.SECONDS.toNanos(30), 0, 4 << 20, TimeUnit.SECONDS.toNanos(30), 100, 10, 64 << 20);
        CoreClient slow = new CoreClient(hasty);
        long table = slow.table("Orders");
        slow.entity(table, "a", "a0", 0);
        slow.entity(table, "b", "b0", 0);
        slow.cluster.splitAt(Key.beforePartition(table, "b")).publish();

        Answer answer = slow.ask("GET", "/Orders()");

        assertThat(rowKeys(answer)).containsExactly("a0");
        assertThat(answer.header(NEXT_PARTITION)).isNotNull();
    }

    @Test
    void aPageEndsWhenItIsLarge() {
        RequestLimits tight = new RequestLimits(
                TimeUnit.SECONDS.toNanos(30),
                TimeUnit.SECONDS.toNanos(5),
                100,
                TimeUnit.SECONDS.toNanos(30),
                100,
                10,
                64 << 20);
        CoreClient small = new CoreClient(tight);
        long table = small.table("Orders");
        for (String partition : List.of("a", "b", "c")) {
            for (int i = 0; i < 5; i++) {
                small.entity(table, partition, partition + i, i);
            }
        }
        small.cluster
                .splitAt(Key.beforePartition(table, "b"), Key.beforePartition(table, "c"))
                .publish();

        Answer answer = small.ask("GET", "/Orders()");

        assertThat(rowKeys(answer)).containsExactly("a0", "a1", "a2", "a3", "a4");
        assertThat(answer.header(NEXT_PARTITION)).isNotNull();
    }

    @Test
    void topZeroIsAnEmptyPageWithoutAScan() {
        partitions(1);

        Answer answer = page("$top=0", null);

        assertThat(answer.status()).isEqualTo(200);
        assertThat(CoreClient.text(answer)).isEqualTo("{\"value\":[]}");
        assertThat(answer.header(NEXT_PARTITION)).isNull();
        assertThat(client.cluster.scans()).isEmpty();
    }

    private Answer salvaged(String query) {
        return client.ask("GET", "/Orders()" + query, client.headers().with("x-cleave-salvage", "true"), "");
    }

    @Test
    void aPageEndsBeforeWhatCannotBeReadAndTheNextOneIsRefused() {
        long table = partitions(3);
        client.cluster.damage(Key.of(table, "b", "b3"), Key.of(table, "b", "b5"));

        Answer before = page("", null);
        assertThat(before.status()).isEqualTo(200);
        assertThat(rowKeys(before)).isEqualTo(allRowKeys(3).subList(0, 13));
        Answer there = page("", before);
        assertThat(there.status()).isEqualTo(500);
        assertThat(CoreClient.text(there)).contains("\"InternalError\"");
        assertThat(there.header("x-cleave-unreadable")).isNull();
    }

    @Test
    void aSalvageReadsAllElseAndSaysWhatItCannot() {
        long table = partitions(5);
        client.cluster
                .damage(Key.of(table, "b", "b3"), Key.of(table, "b", "b5"))
                .damage(
                        Key.of(table, "b", "b9").next(),
                        Key.of(table, "d", "d1").next())
                .splitAt(Key.beforePartition(table, "c"))
                .publish();

        Answer answer = salvaged("");

        assertThat(answer.status()).isEqualTo(200);
        List<String> readable = new ArrayList<>(allRowKeys(5));
        readable.removeAll(allRowKeys(5).subList(13, 15));
        readable.removeAll(allRowKeys(5).subList(20, 32));
        assertThat(rowKeys(answer)).isEqualTo(readable);
        assertThat(answer.header(NEXT_PARTITION)).isNull();
        assertThat(answer.header("x-cleave-unreadable"))
                .isEqualTo("[{\"from\":[\"b\",\"b3\"],\"before\":[\"b\",\"b5\"]},"
                        + "{\"after\":[\"b\",\"b9\"],\"through\":[\"d\",\"d1\"]}]");
        assertThat(salvaged("?$top=5").header("x-cleave-unreadable"))
                .as("nothing there")
                .isEqualTo("[]");
        assertThat(salvaged("?$filter=false").header("x-cleave-unreadable")).isEqualTo("[]");
        assertThat(page("$top=5", null).header("x-cleave-unreadable")).isNull();
    }

    @Test
    void aSalvageOfVeryManyBadPlacesEndsItsPagesEarlier() {
        long table = client.table("Orders");
        for (int i = 0; i < 500; i++) {
            client.entity(table, "p", "%03d".formatted(i), i);
            if (i % 2 == 1) {
                client.cluster.damage(
                        Key.of(table, "p", "%03d".formatted(i)), Key.of(table, "p", "%03d-".formatted(i)));
            }
        }
        client.cluster
                .splitAt(Key.beforePartition(table, "q"), Key.beforePartition(table, "r"))
                .publish();
        client.entity(table, "s", "last", 1);

        Answer first = salvaged("");
        assertThat(rowKeys(first)).hasSize(250).endsWith("498");
        assertThat(first.header(NEXT_PARTITION)).isNotNull();
        Answer second =
                salvaged("?NextPartitionKey=" + first.header(NEXT_PARTITION) + "&NextRowKey=" + first.header(NEXT_ROW));
        assertThat(rowKeys(second)).containsExactly("last");
    }

    @Test
    void pointAndRowRangeQueriesExamineOnlyKeysInsideTheirBounds() {
        partitions(3);

        Answer point = client.ask(
                "GET",
                "/Orders()?$filter=PartitionKey%20eq%20'b'%20and%20RowKey%20eq%20'b3'",
                client.headers().with("x-cleave-explain", "true"),
                "");
        Answer rows = client.ask(
                "GET",
                "/Orders()?$filter=PartitionKey%20eq%20'b'%20and%20RowKey%20ge%20'b3'%20and%20RowKey%20lt%20'b6'",
                client.headers().with("x-cleave-explain", "true"),
                "");

        assertThat(rowKeys(point)).containsExactly("b3");
        assertThat(point.header("x-cleave-explain")).contains("class=point", "examined=1;", "received=1;");
        assertThat(rowKeys(rows)).containsExactly("b3", "b4", "b5");
        assertThat(rows.header("x-cleave-explain")).contains("class=row-range", "examined=3;", "returned=3;");
        assertThat(client.metric("cleave_front_end_entities_examined_total", "class", "row-range"))
                .isEqualTo(3);
        assertThat(client.metric("cleave_front_end_entities_received_total", "class", "row-range"))
                .isEqualTo(client.metric("cleave_front_end_entities_returned_total", "class", "row-range"));
    }

    @Test
    void filterAndProjectionArePushedDown() {
        partitions(1);

        Answer answer = page("$filter=N%20gt%207&$select=RowKey,N,Missing", null);

        assertThat(CoreClient.text(answer))
                .isEqualTo("{\"value\":[{\"RowKey\":\"a8\",\"N\":8,\"Missing\":null},"
                        + "{\"RowKey\":\"a9\",\"N\":9,\"Missing\":null}]}");
        assertThat(client.cluster.scans().get(0).getSelectList()).contains("N", "Missing");
        assertThat(client.cluster.scans().get(0).hasFilter()).isTrue();
    }

    @Test
    void aTokenBehindTheEndOfTheQueryIsAnEmptyLastPage() {
        partitions(2);
        Answer inB = page("$top=15", null);

        Answer answer = client.ask(
                "GET",
                "/Orders()?$filter=PartitionKey%20eq%20'a'&NextPartitionKey=" + inB.header(NEXT_PARTITION)
                        + "&NextRowKey=" + inB.header(NEXT_ROW));

        assertThat(rowKeys(answer)).isEmpty();
        assertThat(answer.header(NEXT_PARTITION)).isNull();
    }

    @Test
    void aTableDroppedDuringAPageIsNotFound() {
        long table = partitions(2);
        client.ask("GET", "/Orders()?$top=1");
        client.cluster.drop(table);
        client.cluster.remove(cleave.model.table.Registry.key(CoreClient.ACCOUNT, "orders"));

        Answer answer = page("", null);

        assertThat(answer.status()).isEqualTo(404);
        assertThat(CoreClient.text(answer)).contains("\"TableNotFound\"");
    }

    @Test
    void aTableMadeAnewUnderTheSameNameIsReadInsteadOfTheDroppedOne() {
        long old = partitions(2);
        client.ask("GET", "/Orders()?$top=1");
        client.cluster.drop(old);
        client.entity(client.table("Orders"), "z", "z0", 1);

        assertThat(rowKeys(page("", null))).containsExactly("z0");
    }

    @Test
    void nonsenseFromAServerIsAnInternalErrorOfThisRequestAlone() {
        partitions(1);
        client.ask("GET", "/Orders()?$top=0");
        client.cluster.failNext(Fault.NONSENSE);

        Answer broken = page("", null);
        Answer next = page("", null);

        assertThat(broken.status()).isEqualTo(500);
        assertThat(CoreClient.text(broken)).contains("\"InternalError\"");
        assertThat(rowKeys(next)).isEqualTo(allRowKeys(1));
        assertThat(client.metric("cleave_front_end_faults_total")).isEqualTo(1);
    }

    @Test
    void manyRangesInOnePageNeedNoDeepStack() {
        long table = client.table("Orders");
        Key[] bounds = new Key[3000];
        for (int i = 0; i < bounds.length; i++) {
            bounds[i] = Key.beforePartition(table, String.format("%05d", i));
        }
        client.entity(table, "99999", "last", 1);
        client.cluster.splitAt(bounds).publish();

        CompletableFuture<Answer> answer = client.send("GET", "/Orders()", client.headers(), "");

        assertThat(rowKeys(client.await(answer))).containsExactly("last");
    }
}
