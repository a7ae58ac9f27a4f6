// azure-storage 0.4: every call of its table service, in JSON and, where it names no format, in Atom; as of version 2014-02-14.
// azure-storage-simple stands on it.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import storage from "azure-storage";
import { account, calling, endpoint, inPathStyle, key, newTableName, refused, run, test } from "./harness.mjs";

const require = createRequire(import.meta.url);
const { TableQuery, TableUtilities } = storage;
const make = TableUtilities.entityGenerator;
const host = { primaryHost: endpoint.origin, secondaryHost: endpoint.origin };
const newService = () => inPathStyle(storage.createTableService(account, key, host));
const newTable = async () => {
  const service = newService();
  const call = calling(service);
  const table = newTableName().toLowerCase(); // It signs the name of a table as it is given.
  assert.equal((await call("createTableIfNotExists", table))[0], true);
  return { service, call, table };
};
const keys = (rowKey) => ({ PartitionKey: make.String("p"), RowKey: make.String(rowKey) });

test("0.4: it sends the version that it is known for", async () => {
  assert.equal(newService().apiVersion, "2014-02-14");
});

test("0.4: tables are made if they do not exist, and deleted if they do", async () => {
  const { call, table } = await newTable();
  assert.equal((await call("createTableIfNotExists", table))[0], false);
  await refused(call("createTable", table), 409, "TableAlreadyExists");
  assert.equal((await call("doesTableExist", table))[0], true);
  const [listed] = await call("listTablesSegmentedWithPrefix", table, null);
  assert.deepEqual(listed, { entries: [table], continuationToken: null });
  assert.equal((await call("deleteTableIfExists", table))[0], true);
  assert.equal((await call("deleteTableIfExists", table))[0], false);
  assert.equal((await call("doesTableExist", table))[0], false);
  await refused(call("deleteTable", table), 404, "ResourceNotFound");
});

test("0.4: tables are listed by prefix", async () => {
  const call = calling(newService());
  const prefix = newTableName().substring(0, 20);
  const names = ["a", "b", "c"].map((suffix) => prefix + suffix);
  for (const name of names) {
    await call("createTable", name);
  }
  const [page] = await call("listTablesSegmentedWithPrefix", prefix, null);
  assert.deepEqual(page.entries, names);
  const found = [];
  let token = null;
  do {
    const [all] = await call("listTablesSegmented", token);
    found.push(...all.entries);
    token = all.continuationToken;
  } while (token !== null);
  names.forEach((name) => assert.ok(found.includes(name)));
});

test("0.4: every write of an entity, with all types", async () => {
  const { call, table } = await newTable();
  const at = new Date("2024-05-01T08:00:00.123Z");
  const [inserted] = await call("insertEntity", table, {
    ...keys("r"),
    text: make.String("zwölf 名前 \u{1F600}"),
    yes: make.Boolean(true),
    int: make.Int32(-5),
    big: make.Int64("1234567890123"),
    real: make.Double(1.5),
    at: make.DateTime(at),
    guid: make.Guid("a455c695-df98-5678-aaaa-81d3367e5a34"),
    binary: make.Binary(Buffer.from([0, 1, 255])),
  });
  const [read] = await call("retrieveEntity", table, "p", "r");
  assert.equal(read[".metadata"].etag, inserted[".metadata"].etag);
  const values = Object.fromEntries(Object.entries(read).map(([name, value]) => [name, value._]));
  delete values[".metadata"];
  delete values.Timestamp;
  assert.deepEqual(values, {
    PartitionKey: "p",
    RowKey: "r",
    text: "zwölf 名前 \u{1F600}",
    yes: true,
    int: -5,
    big: "1234567890123",
    real: 1.5,
    at,
    guid: "a455c695-df98-5678-aaaa-81d3367e5a34",
    binary: Buffer.from([0, 1, 255]),
  });
  const [echoed] = await call("insertEntity", table, { ...keys("echo"), a: make.Int32(1) }, { echoContent: true });
  assert.equal(echoed.a._, 1);
  await refused(call("insertEntity", table, keys("r")), 409, "EntityAlreadyExists");
  await refused(call("updateEntity", table, keys("none")), 404, "ResourceNotFound");
  await call("mergeEntity", table, { ...keys("r"), int: make.Int32(6) });
  await refused(call("updateEntity", table, { ...keys("r"), ".metadata": read[".metadata"] }), 412, "UpdateConditionNotSatisfied");
  await call("insertOrMergeEntity", table, { ...keys("r"), more: make.Int32(7) });
  const [merged] = await call("retrieveEntity", table, "p", "r");
  assert.deepEqual([merged.int._, merged.more._, merged.yes._], [6, 7, true]);
  await call("insertOrReplaceEntity", table, { ...keys("r"), only: make.Int32(8) });
  const [replaced] = await call("retrieveEntity", table, "p", "r");
  assert.deepEqual([replaced.int, replaced.only._], [undefined, 8]);
  await call("deleteEntity", table, keys("r"));
  await refused(call("retrieveEntity", table, "p", "r"), 404, "ResourceNotFound");
  await refused(call("deleteEntity", table, keys("r")), 404, "ResourceNotFound");
});

test("0.4: queries by filter, selection and pages", async () => {
  const { call, table } = await newTable();
  for (let i = 0; i < 5; i++) {
    await call("insertEntity", table, { ...keys("r" + i), n: make.Int32(i) });
  }
  const [found] = await call("queryEntities", table, new TableQuery().where("n ge ?", 3).select("RowKey"), null);
  assert.deepEqual(found.entries.map((entity) => entity.RowKey._), ["r3", "r4"]);
  const rowKeys = [];
  let token = null;
  do {
    const [page] = await call("queryEntities", table, new TableQuery().top(2), token);
    rowKeys.push(...page.entries.map((entity) => entity.RowKey._));
    token = page.continuationToken;
  } while (token !== null);
  assert.deepEqual(rowKeys, ["r0", "r1", "r2", "r3", "r4"]);
  for (const payloadFormat of Object.values(TableUtilities.PayloadFormat)) {
    const [page] = await call("queryEntities", table, new TableQuery().where("RowKey eq ?", "r1"), null, { payloadFormat });
    assert.equal(page.entries[0].n._, 1, payloadFormat);
  }
});

test("0.4: a batch is done as a whole, or not at all", async () => {
  const { call, table } = await newTable();
  await call("insertEntity", table, { ...keys("old"), a: make.Int32(1) });
  const batch = new storage.TableBatch();
  batch.insertEntity({ ...keys("new"), a: make.Int32(1) }, { echoContent: true });
  batch.mergeEntity({ ...keys("old"), a: make.Int32(2) });
  batch.insertOrReplaceEntity({ ...keys("either"), a: make.Int32(3) });
  const [answers] = await call("executeBatch", table, batch);
  assert.deepEqual(answers.map((answer) => answer.response.statusCode), [201, 204, 204]);
  const failing = new storage.TableBatch();
  failing.insertEntity({ ...keys("other"), a: make.Int32(1) });
  failing.insertEntity({ ...keys("old"), a: make.Int32(2) });
  await refused(call("executeBatch", table, failing), 409, "EntityAlreadyExists");
  await refused(call("retrieveEntity", table, "p", "other"), 404, "ResourceNotFound");
  const reading = new storage.TableBatch();
  reading.retrieveEntity("p", "old");
  assert.equal((await call("executeBatch", table, reading))[0][0].entity.a._, 2);
});

test("0.4: access policies, and a signature that refers to one", async () => {
  const { service, call, table } = await newTable();
  await call("insertEntity", table, { ...keys("r"), a: make.Int32(1) });
  const expiry = new Date(Date.now() + 3_600_000);
  expiry.setMilliseconds(0);
  const signedIdentifiers = [{ Id: "readers", AccessPolicy: { Permissions: "r", Expiry: expiry } }];
  await call("setTableAcl", table, { signedIdentifiers });
  const [acl] = await call("getTableAcl", table);
  assert.equal(acl.signedIdentifiers[0].AccessPolicy.Permission, "r");
  await refused(call("getTableAcl", newTableName()), 404, "ResourceNotFound");
  const token = service.generateSharedAccessSignature(table, { AccessPolicy: { Permissions: "r", Expiry: expiry } });
  const reader = storage.createTableServiceWithSas(host, token);
  reader.usePathStyleUri = true;
  reader.storageAccount = account;
  assert.equal((await calling(reader)("retrieveEntity", table, "p", "r"))[0].a._, 1);
  const insert = calling(reader)("insertEntity", table, keys("s"));
  await refused(insert, 403, "AuthorizationPermissionMismatch");
});

test("0.4: a wrong key is refused", async () => {
  const wrong = Buffer.from("wrong").toString("base64");
  const call = calling(inPathStyle(storage.createTableService(account, wrong, host)));
  await refused(call("createTableIfNotExists", newTableName()), 403, "AuthenticationFailed");
  await refused(call("listTablesSegmented", null), 403, "AuthenticationFailed");
});

test("simple: it writes, reads, queries and deletes, in a table that it makes by itself", async () => {
  // It builds the service by itself, which knows path style at the emulator's port alone.
  const inner = require("azure-storage-simple/azure-storage.js");
  const build = inner.createTableService;
  inner.createTableService = () => inPathStyle(build(account, key, host));
  const table = require("azure-storage-simple")(account, key).table(newTableName());
  const value = {
    text: "value",
    number: 1234,
    date: new Date("2024-05-01T08:00:00.000Z"),
    object: { a: [1] },
    array: [],
    no: false,
    yes: true,
  };
  await table.write("p", "r", value);
  await table.write("p", "s", { text: "other" });
  assert.deepEqual({ ...(await table.read("p", "r")) }, value);
  const found = [];
  let records = table.query().where("PartitionKey eq ?", "p").top(1);
  while (records.next) {
    records = await records.next();
    found.push(...records.map((record) => record.text));
  }
  assert.deepEqual(found, ["value", "other"]);
  await table.delete("p", "r");
  await refused(table.read("p", "r"), 404, "ResourceNotFound");
});

await run();
