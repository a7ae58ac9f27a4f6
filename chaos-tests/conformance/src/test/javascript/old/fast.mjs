// fast-azure-storage: every call of its table client, in JSON, as of version 2014-02-14. It names the account in the host.
import assert from "node:assert/strict";
import https from "node:https";
import net from "node:net";
import tls from "node:tls";
import { Table } from "fast-azure-storage";
import { account, endpoint, key, newTableName, refused, run, test } from "./harness.mjs";

// It speaks to ACCOUNT.table.core.windows.net, which is here.
class Agent extends https.Agent {
  createConnection(options, connected) {
    const there = { host: endpoint.hostname, port: endpoint.port, servername: endpoint.hostname };
    return endpoint.protocol === "https:" ? tls.connect(there, connected) : net.connect(there, connected);
  }
}
const agent = new Agent({ keepAlive: true });
const client = (options) => new Table({ accountId: account, agent, retries: 0, ...options });
const owner = client({ accessKey: key });
const ofLevel = (metadata) => client({ accessKey: key, metadata });
const newTable = async () => {
  const name = newTableName();
  await owner.createTable(name);
  return name;
};
const entity = (rowKey, properties) => ({ PartitionKey: "p", RowKey: rowKey, ...properties });

test("fast: tables are created, listed by pages and deleted", async () => {
  const names = [await newTable(), await newTable()];
  await refused(owner.createTable(names[0]), 409, "TableAlreadyExists");
  const found = [];
  let nextTableName;
  do {
    const page = await owner.queryTables({ nextTableName });
    found.push(...page.tables);
    ({ nextTableName } = page);
  } while (nextTableName);
  names.forEach((name) => assert.ok(found.includes(name)));
  await owner.deleteTable(names[0]);
  await refused(owner.deleteTable(names[0]), 404, "ResourceNotFound");
});

test("fast: every write of an entity", async () => {
  const table = await newTable();
  const inserted = await owner.insertEntity(table, entity("it's", { A: 1, "B@odata.type": "Edm.Int64", B: "2" }));
  await refused(owner.insertEntity(table, entity("it's")), 409, "EntityAlreadyExists");
  const read = await owner.getEntity(table, "p", "it's");
  assert.equal(read["odata.etag"], inserted);
  assert.deepEqual([read.A, read.B, read["B@odata.type"]], [1, "2", "Edm.Int64"]);
  await owner.updateEntity(table, entity("it's", { C: true }), { mode: "merge", eTag: "*" });
  await refused(
    owner.updateEntity(table, entity("it's", { A: 5 }), { mode: "replace", eTag: inserted }),
    412,
    "UpdateConditionNotSatisfied",
  );
  assert.deepEqual((({ A, C }) => [A, C])(await owner.getEntity(table, "p", "it's")), [1, true]);
  const replaced = await owner.updateEntity(table, entity("it's", { A: 6 }), { mode: "replace" });
  assert.deepEqual((({ A, C }) => [A, C])(await owner.getEntity(table, "p", "it's")), [6, undefined]);
  await owner.updateEntity(table, entity("new", { A: 7 }), { mode: "merge" });
  await owner.deleteEntity(table, "p", "it's", { eTag: replaced });
  await refused(owner.deleteEntity(table, "p", "it's", { eTag: "*" }), 404, "ResourceNotFound");
});

test("fast: an entity is read at every level, in part", async () => {
  const table = await newTable();
  await owner.insertEntity(table, entity("r", { A: 1, B: 2 }));
  for (const level of ["nometadata", "minimalmetadata", "fullmetadata"]) {
    const read = await ofLevel(level).getEntity(table, "p", "r", { select: ["A"] });
    assert.deepEqual([read.A, read.B], [1, undefined], level);
  }
  await refused(owner.getEntity(table, "p", "none"), 404, "ResourceNotFound");
});

test("fast: entities are queried by filter and pages", async () => {
  const table = await newTable();
  for (let i = 0; i < 5; i++) {
    await owner.insertEntity(table, entity("r" + i, { N: i }));
  }
  const { Equal, GreaterThan, And, Or, string } = Table.Operators;
  const filter = Table.filter(
    ["PartitionKey", Equal, string("p")],
    And,
    [["N", GreaterThan, Table.Operators.number(3)], Or, ["RowKey", Equal, string("r0")]],
  );
  const found = await owner.queryEntities(table, { filter, select: ["RowKey", "N"] });
  assert.deepEqual(found.entities.map((each) => each.N), [0, 4]);
  const rowKeys = [];
  let next = {};
  do {
    const page = await owner.queryEntities(table, { top: 2, ...next });
    rowKeys.push(...page.entities.map((each) => each.RowKey));
    next = { nextPartitionKey: page.nextPartitionKey, nextRowKey: page.nextRowKey };
  } while (next.nextPartitionKey);
  assert.deepEqual(rowKeys, ["r0", "r1", "r2", "r3", "r4"]);
});

test("fast: a signature of a table, with and without a range of keys", async () => {
  const table = await newTable();
  await owner.insertEntity(table, entity("a"));
  await owner.insertEntity(table, entity("b"));
  const expiry = new Date(Date.now() + 3_600_000);
  const permissions = { read: true, add: true, update: true, delete: true };
  const all = client({ sas: owner.sas(table, { expiry, permissions }) });
  await all.insertEntity(table, entity("c"));
  assert.equal((await all.queryEntities(table)).entities.length, 3);
  await refused(all.queryTables(), 403, "AuthorizationFailure");
  await refused(all.createTable(newTableName()), 403, "AuthorizationFailure");
  await refused(all.deleteTable(table), 403, "AuthorizationFailure");
  const readOnly = client({ sas: owner.sas(table, { expiry, permissions: { read: true } }) });
  await refused(readOnly.insertEntity(table, entity("d")), 403, "AuthorizationPermissionMismatch");
  const first = { partitionKey: "p", rowKey: "b" };
  const ranged = client({ sas: owner.sas(table, { expiry, permissions, first, last: first }) });
  assert.deepEqual((await ranged.queryEntities(table)).entities.map((each) => each.RowKey), ["b"]);
  assert.equal((await ranged.getEntity(table, "p", "b")).RowKey, "b");
  await refused(ranged.getEntity(table, "p", "a"), 404, "ResourceNotFound");
  await refused(ranged.insertEntity(table, entity("aa")), 403, "AuthorizationFailure");
  await refused(ranged.deleteEntity(table, "p", "a", { eTag: "*" }), 403, "AuthorizationFailure");
});

test("fast: a wrong key is refused", async () => {
  const stranger = client({ accessKey: Buffer.from("wrong").toString("base64") });
  await refused(stranger.queryTables(), 403, "AuthenticationFailed");
});

await run();
