// azure-storage-legacy: every call of its table service, in Atom, as of version 2011-08-18.
import assert from "node:assert/strict";
import legacy from "azure-storage-legacy";
import common from "azure-common";
import { account, calling, endpoint, inPathStyle, key, newTableName, refused, run, test } from "./harness.mjs";

const { TableQuery } = legacy;
const newService = () => inPathStyle(legacy.createTableService(account, key, endpoint.origin));
const newTable = async () => {
  const call = calling(newService());
  const table = newTableName();
  await call("createTable", table);
  return { call, table };
};
const stored = async ({ call, table }, partitionKey, rowKey) =>
  (await call("queryEntity", table, partitionKey, rowKey))[0];

test("legacy: a table is created, found, listed and deleted", async () => {
  const call = calling(newService());
  const table = newTableName();
  const [created] = await call("createTable", table);
  assert.equal(created.TableName, table);
  await refused(call("createTable", table), 409, "TableAlreadyExists");
  const [found] = await call("getTable", table);
  assert.equal(found.TableName, table);
  const [listed, continuation] = await call("queryTables", { prefix: table });
  assert.deepEqual(listed.map((each) => each.TableName), [table]);
  assert.equal(continuation.hasNextPage(), false);
  assert.deepEqual((await call("deleteTable", table))[0], true);
  await refused(call("getTable", table), 404, "ResourceNotFound");
  await refused(call("deleteTable", table), 404, "ResourceNotFound");
  assert.deepEqual((await call("queryTables", { prefix: table }))[0], []);
});

test("legacy: createTableIfNotExists may be called twice", async () => {
  const call = calling(newService());
  const table = newTableName();
  assert.equal((await call("createTableIfNotExists", table))[0], true);
  await call("createTableIfNotExists", table);
});

test("legacy: all types come back", async () => {
  const { call, table } = await newTable();
  const at = new Date("2024-05-01T08:00:00.123Z");
  const [inserted] = await call("insertEntity", table, {
    PartitionKey: "it is & <here>",
    RowKey: "r",
    text: " <&>\"'\n zwölf 名前 \u{1F600} ",
    empty: "",
    yes: true,
    no: false,
    int: -5,
    real: 1.5,
    big: { _: "1234567890123", $: { type: "Edm.Int64" } },
    whole: { _: 3, $: { type: "Edm.Double" } },
    guid: { _: "a455c695-df98-5678-aaaa-81d3367e5a34", $: { type: "Edm.Guid" } },
    binary: { _: Buffer.from("abc"), $: { type: "Edm.Binary" } },
    at,
  });
  const read = await stored({ call, table }, "it is & <here>", "r");
  for (const entity of [inserted, read]) {
    const { _: meta, Timestamp, ...properties } = entity;
    assert.ok(Timestamp instanceof Date);
    assert.match(meta.etag, /^W\/"datetime'.*'"$/);
    delete properties.empty; // It says that an empty text is null, so there is nothing to read.
    assert.deepEqual(properties, {
      PartitionKey: "it is & <here>",
      RowKey: "r",
      text: " <&>\"'\n zwölf 名前 \u{1F600} ",
      yes: true,
      no: false,
      int: -5,
      real: 1.5,
      big: 1234567890123,
      whole: 3,
      guid: "a455c695-df98-5678-aaaa-81d3367e5a34",
      binary: "abc",
      at,
    });
  }
});

test("legacy: every write of an entity", async () => {
  const it = await newTable();
  const { call, table } = it;
  const entity = (properties) => ({ PartitionKey: "p", RowKey: "r", ...properties });
  await refused(call("updateEntity", table, entity({ a: 1 })), 404, "ResourceNotFound");
  await refused(call("mergeEntity", table, entity({ a: 1 })), 404, "ResourceNotFound");
  await call("insertEntity", table, entity({ a: 1, b: "b" }));
  await refused(call("insertEntity", table, entity({ a: 2 })), 409, "EntityAlreadyExists");
  await call("mergeEntity", table, entity({ a: 2 }));
  const merged = await stored(it, "p", "r");
  assert.deepEqual([merged.a, merged.b], [2, "b"]);
  await call("updateEntity", table, entity({ c: true }));
  const updated = await stored(it, "p", "r");
  assert.deepEqual([updated.a, updated.b, updated.c], [undefined, undefined, true]);
  await refused(
    call("updateEntity", table, entity({ _: { etag: merged._.etag } }), { checkEtag: true }),
    412,
    "UpdateConditionNotSatisfied",
  );
  await call("updateEntity", table, entity({ d: 1, _: { etag: updated._.etag } }), { checkEtag: true });
  await call("insertOrReplaceEntity", table, entity({ e: 1 }));
  await call("insertOrMergeEntity", table, entity({ f: 2 }));
  const last = await stored(it, "p", "r");
  assert.deepEqual([last.d, last.e, last.f], [undefined, 1, 2]);
  assert.equal((await call("deleteEntity", table, entity({})))[0], true);
  await refused(call("deleteEntity", table, entity({})), 404, "ResourceNotFound");
  await refused(call("queryEntity", table, "p", "r"), 404, "ResourceNotFound");
});

test("legacy: queries by filter, selection and pages", async () => {
  const { call, table } = await newTable();
  for (let i = 0; i < 5; i++) {
    await call("insertEntity", table, { PartitionKey: "p", RowKey: "r" + i, n: i, s: "s" + i });
  }
  const [found] = await call("queryEntities", TableQuery.select().from(table).where("n >= ?", 3));
  assert.deepEqual(found.map((entity) => entity.RowKey), ["r3", "r4"]);
  const [selected] = await call("queryEntities", TableQuery.select("s", "missing").from(table).where("n == ?", 1));
  assert.deepEqual(selected.map(({ _, ...properties }) => properties), [{ s: "s1", missing: null }]);
  assert.deepEqual((await call("queryEntities", TableQuery.select().from(table).where("n > ?", 9)))[0], []);
  const keys = [];
  let [page, next] = await call("queryEntities", TableQuery.select().from(table).top(2));
  for (;;) {
    assert.ok(page.length <= 2);
    keys.push(...page.map((entity) => entity.RowKey));
    if (!next.hasNextPage()) {
      break;
    }
    [page, next] = await calling(next)("getNextPage");
  }
  assert.deepEqual(keys, ["r0", "r1", "r2", "r3", "r4"]);
  await refused(call("queryEntities", TableQuery.select().from(newTableName())), 404, "TableNotFound");
});

test("legacy: a batch is done as a whole", async () => {
  const service = newService();
  const call = calling(service);
  const table = newTableName();
  await call("createTable", table);
  await call("insertEntity", table, { PartitionKey: "p", RowKey: "old", a: 1 });
  service.beginBatch();
  service.insertEntity(table, { PartitionKey: "p", RowKey: "new", a: 1 });
  service.updateEntity(table, { PartitionKey: "p", RowKey: "old", a: 2 });
  service.insertOrMergeEntity(table, { PartitionKey: "p", RowKey: "either", a: 3 });
  const [, first] = await call("commitBatch"); // It tells of the first operation alone.
  assert.equal(first.statusCode, 201);
  assert.equal(first.body.entry.content["m:properties"]["d:RowKey"], "new");
  assert.match(first.body.entry.$["m:etag"], /^W\/"datetime'.*'"$/);
  assert.equal((await stored({ call, table }, "p", "old")).a, 2);
  assert.equal((await stored({ call, table }, "p", "new")).a, 1);
  assert.equal((await stored({ call, table }, "p", "either")).a, 3);
  service.beginBatch();
  service.deleteEntity(table, { PartitionKey: "p", RowKey: "old" });
  service.mergeEntity(table, { PartitionKey: "p", RowKey: "new", b: 1 });
  service.insertOrReplaceEntity(table, { PartitionKey: "p", RowKey: "either", c: 1 });
  assert.equal((await call("commitBatch"))[1].statusCode, 204);
  await refused(call("queryEntity", table, "p", "old"), 404, "ResourceNotFound");
  assert.deepEqual((({ a, b }) => [a, b])(await stored({ call, table }, "p", "new")), [1, 1]);
  assert.deepEqual((({ a, c }) => [a, c])(await stored({ call, table }, "p", "either")), [undefined, 1]);
});

test("legacy: of a refused batch nothing is done, and the error is told", async () => {
  const service = newService();
  const call = calling(service);
  const table = newTableName();
  await call("createTable", table);
  await call("insertEntity", table, { PartitionKey: "p", RowKey: "old", a: 1 });
  service.beginBatch();
  service.insertEntity(table, { PartitionKey: "p", RowKey: "new", a: 1 });
  service.insertEntity(table, { PartitionKey: "p", RowKey: "old", a: 2 });
  const error = await refused(call("commitBatch"), 409, "EntityAlreadyExists");
  assert.match(error.message?._ ?? error.detail ?? String(error.message), /EntityAlreadyExists|^1:/);
  await refused(call("queryEntity", table, "p", "new"), 404, "ResourceNotFound");
});

test("legacy: a wrong key is refused", async () => {
  const wrong = Buffer.from("wrong").toString("base64");
  const service = inPathStyle(legacy.createTableService(account, wrong, endpoint.origin));
  await refused(calling(service)("queryTables"), 403, "AuthenticationFailed");
});

test("legacy: it sends the version that it is known for", async () => {
  assert.equal(common.Constants.HeaderConstants.TARGET_STORAGE_VERSION, "2011-08-18");
  assert.equal(newService().apiVersion, "2011-08-18");
});

await run();
