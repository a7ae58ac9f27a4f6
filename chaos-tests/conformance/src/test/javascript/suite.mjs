// Tables, entities, queries and transactions by the unmodified JavaScript SDK.
import assert from "node:assert/strict";
import { TableClient, TableTransaction, odata } from "@azure/data-tables";
import { all, connectionString, failure, fails, newTable, newTableName, options, service, run, test } from "./harness.mjs";

test("a created table is listed and a deleted one is not", async () => {
  const table = await newTable();
  const filter = odata`TableName eq ${table.tableName}`;
  assert.deepEqual((await all(service.listTables({ queryOptions: { filter } }))).map((t) => t.name), [table.tableName]);
  await table.deleteTable();
  assert.deepEqual(await all(service.listTables({ queryOptions: { filter } })), []);
  await fails(table.getEntity("p", "r"), 404, "TableNotFound");
});

test("tables are listed by pages", async () => {
  const prefix = newTableName().substring(0, 20);
  const names = ["a", "b", "c", "d", "e"].map((suffix) => prefix + suffix);
  for (const name of names) {
    await service.createTable(name);
  }
  const filter = `TableName ge '${prefix}' and TableName lt '${prefix}z'`;
  const found = [];
  for await (const page of service.listTables({ queryOptions: { filter } }).byPage({ maxPageSize: 2 })) {
    assert.ok(page.length <= 2);
    page.forEach((table) => found.push(table.name));
  }
  assert.deepEqual(found, names);
});

test("an insert answers with an etag, and a second one is refused", async () => {
  const table = await newTable();
  const inserted = await table.createEntity({ partitionKey: "p", rowKey: "r", value: 1 });
  assert.match(inserted.etag, /^W\/"datetime'.*'"$/);
  await fails(table.createEntity({ partitionKey: "p", rowKey: "r" }), 409, "EntityAlreadyExists");
  assert.equal((await table.getEntity("p", "r")).etag, inserted.etag);
});

test("every edm type comes back as it went in", async () => {
  const table = await newTable();
  await table.createEntity({
    partitionKey: "types",
    rowKey: "all",
    text: "Zürich 東京 \u{1F600} \"quoted\" \\ back",
    empty: "",
    yes: true,
    int32: -2147483648,
    double: 1.5e-300,
    whole: { type: "Double", value: "3" },
    int64: { type: "Int64", value: "9223372036854775807" },
    date: { type: "DateTime", value: "2024-05-01T08:00:00.1234567Z" },
    guid: { type: "Guid", value: "a455c695-df98-5678-aaaa-81d3367e5a34" },
    binary: new Uint8Array([0, 1, 255, 127, 128]),
    nan: { type: "Double", value: "NaN" },
    infinity: { type: "Double", value: "Infinity" },
    negative: { type: "Double", value: "-Infinity" },
  });
  const read = await table.getEntity("types", "all", { disableTypeConversion: true });
  assert.equal((await table.getEntity("types", "all")).text, "Zürich 東京 \u{1F600} \"quoted\" \\ back");
  const expected = {
    empty: { type: "String", value: "" },
    yes: { type: "Boolean", value: "true" },
    int32: { type: "Int32", value: "-2147483648" },
    double: { type: "Double", value: "1.5e-300" },
    int64: { type: "Int64", value: "9223372036854775807" },
    date: { type: "DateTime", value: "2024-05-01T08:00:00.1234567Z" },
    guid: { type: "Guid", value: "a455c695-df98-5678-aaaa-81d3367e5a34" },
    binary: { type: "Binary", value: "AAH/f4A=" },
    nan: { type: "Double", value: "NaN" },
    infinity: { type: "Double", value: "Infinity" },
    negative: { type: "Double", value: "-Infinity" },
  };
  for (const [name, value] of Object.entries(expected)) {
    assert.deepEqual(read[name], value, name);
  }
  const converted = await table.getEntity("types", "all");
  assert.equal(converted.int64, 9223372036854775807n);
  assert.equal(converted.whole, 3);
  assert.deepEqual([...converted.binary], [0, 1, 255, 127, 128]);
  assert.ok(!Number.isNaN(Date.parse(converted.timestamp)));
});

for (const key of ["", "it's", "''", "100%", "%25", "a b", "a+b", "(x,y=z)", "Zürich", "東京", "\u{1F600}", "~!@$^&*"]) {
  test(`the key '${key}' comes back`, async () => {
    const table = await newTable();
    await table.upsertEntity({ partitionKey: key, rowKey: key, value: 1 });
    const read = await table.getEntity(key, key);
    assert.deepEqual([read.partitionKey, read.rowKey], [key, key]);
    await table.updateEntity({ partitionKey: key, rowKey: key, value: 2 }, "Merge");
    const found = await all(table.listEntities({ queryOptions: { filter: odata`PartitionKey eq ${key} and RowKey eq ${key}` } }));
    assert.deepEqual(found.map((entity) => entity.value), [2]);
    await table.deleteEntity(key, key);
    await fails(table.getEntity(key, key), 404, "ResourceNotFound");
  });
}

test("merge keeps what replace takes away", async () => {
  const table = await newTable();
  await table.createEntity({ partitionKey: "p", rowKey: "r", a: 1, b: 2 });
  await table.updateEntity({ partitionKey: "p", rowKey: "r", b: 3 }, "Merge");
  let read = await table.getEntity("p", "r");
  assert.deepEqual([read.a, read.b], [1, 3]);
  await table.updateEntity({ partitionKey: "p", rowKey: "r", b: 4 }, "Replace");
  read = await table.getEntity("p", "r");
  assert.deepEqual(["a" in read, read.b], [false, 4]);
});

test("updates need an entity and upserts do not", async () => {
  const table = await newTable();
  for (const mode of ["Merge", "Replace"]) {
    await fails(table.updateEntity({ partitionKey: "p", rowKey: mode }, mode), 404, "ResourceNotFound");
    await table.upsertEntity({ partitionKey: "p", rowKey: mode, a: 1 }, mode);
    await table.upsertEntity({ partitionKey: "p", rowKey: mode, b: 1 }, mode);
  }
  assert.equal("a" in (await table.getEntity("p", "Merge")), true);
  assert.equal("a" in (await table.getEntity("p", "Replace")), false);
});

test("conditions hold for the current etag alone", async () => {
  const table = await newTable();
  const first = await table.createEntity({ partitionKey: "p", rowKey: "r", a: 1 });
  const second = await table.updateEntity({ partitionKey: "p", rowKey: "r", a: 2 }, "Replace", { etag: first.etag });
  assert.notEqual(second.etag, first.etag);
  const stale = { etag: first.etag };
  const changed = "UpdateConditionNotSatisfied";
  await fails(table.updateEntity({ partitionKey: "p", rowKey: "r", a: 3 }, "Merge", stale), 412, changed);
  await fails(table.deleteEntity("p", "r", stale), 412, changed);
  await table.deleteEntity("p", "r", { etag: second.etag });
  await fails(table.deleteEntity("p", "r"), 404, "ResourceNotFound");
});

test("a point get may select properties", async () => {
  const table = await newTable();
  await table.createEntity({ partitionKey: "p", rowKey: "r", a: 1, b: 2 });
  const read = await table.getEntity("p", "r", { queryOptions: { select: ["a"] } });
  assert.deepEqual([read.a, "b" in read], [1, false]);
});

test("2500 entities are read by pages, once, in order", async () => {
  const table = await newTable();
  for (let partition = 0; partition < 25; partition++) {
    const inserts = [];
    for (let row = 0; row < 100; row++) {
      inserts.push(["create", entityOf(partition, row)]);
    }
    await table.submitTransaction(inserts);
  }
  const found = [];
  const pages = [];
  for await (const page of table.listEntities().byPage({ maxPageSize: 400 })) {
    pages.push(page.length);
    page.forEach((entity) => found.push(`${entity.partitionKey}/${entity.rowKey}`));
  }
  const expected = [];
  for (let partition = 0; partition < 25; partition++) {
    for (let row = 0; row < 100; row++) {
      const { partitionKey, rowKey } = entityOf(partition, row);
      expected.push(`${partitionKey}/${rowKey}`);
    }
  }
  assert.deepEqual(found, expected);
  assert.ok(pages.length >= 7 && pages.every((size) => size <= 400), `pages ${pages}`);
  assert.equal((await all(table.listEntities())).length, 2500);

  const even = { queryOptions: { filter: odata`number eq ${4} and even eq ${true}`, select: ["name"] } };
  const selected = await all(table.listEntities(even));
  assert.equal(selected.length, 25);
  assert.ok(selected.every((entity) => entity.name === "name-4" && !("number" in entity)));

  const resumed = [];
  const iterator = table.listEntities({ queryOptions: { filter: "PartitionKey eq 'p07'" } }).byPage({ maxPageSize: 60 });
  const first = await iterator.next();
  resumed.push(...first.value);
  const rest = table
    .listEntities({ queryOptions: { filter: "PartitionKey eq 'p07'" } })
    .byPage({ maxPageSize: 60, continuationToken: first.value.continuationToken });
  for await (const page of rest) {
    resumed.push(...page);
  }
  assert.equal(new Set(resumed.map((entity) => entity.rowKey)).size, 100);
  assert.equal(resumed.length, 100);
});

const entityOf = (partition, row) => ({
  partitionKey: `p${String(partition).padStart(2, "0")}`,
  rowKey: `r${String(row).padStart(3, "0")}`,
  number: row,
  even: row % 2 === 0,
  name: `name-${row}`,
});

test("a filter that cannot be is refused", async () => {
  const table = await newTable();
  await fails(all(table.listEntities({ queryOptions: { filter: "aaa bbb ccc" } })), 400, "InvalidInput");
});

test("a transaction of 100 operations is done as one", async () => {
  const table = await newTable();
  const transaction = new TableTransaction();
  for (let row = 0; row < 100; row++) {
    transaction.createEntity({ partitionKey: "p", rowKey: `r${row}`, value: row });
  }
  const result = await table.submitTransaction(transaction.actions);
  assert.equal(result.status, 202);
  assert.equal(result.subResponses.length, 100);
  assert.ok(result.subResponses.every((response) => response.status === 204));
  assert.match(result.getResponseForEntity("r7").etag, /^W\//);
  assert.equal((await all(table.listEntities())).length, 100);
});

test("a transaction may mix all kinds of operations", async () => {
  const table = await newTable();
  await table.submitTransaction(["a", "b", "c", "d"].map((rowKey) => ["create", { partitionKey: "p", rowKey, v: 1 }]));
  await table.submitTransaction([
    ["create", { partitionKey: "p", rowKey: "new", v: 1 }],
    ["update", { partitionKey: "p", rowKey: "a", w: 2 }, "Merge"],
    ["update", { partitionKey: "p", rowKey: "b", w: 2 }, "Replace"],
    ["upsert", { partitionKey: "p", rowKey: "c", w: 2 }, "Merge"],
    ["upsert", { partitionKey: "p", rowKey: "fresh", w: 2 }, "Replace"],
    ["delete", { partitionKey: "p", rowKey: "d" }],
  ]);
  const found = await all(table.listEntities());
  assert.deepEqual(
    found.map((entity) => `${entity.rowKey}:${entity.v ?? "-"}${entity.w ?? "-"}`),
    ["a:12", "b:-2", "c:12", "fresh:-2", "new:1-"],
  );
});

test("a failed transaction names its operation and changes nothing", async () => {
  const table = await newTable();
  await table.createEntity({ partitionKey: "p", rowKey: "r3" });
  const inserts = ["r0", "r1", "r2", "r3", "r4"].map((rowKey) => ["create", { partitionKey: "p", rowKey }]);
  const seen = await failure(table.submitTransaction(inserts));
  assert.equal(seen.status, 409);
  assert.match(JSON.stringify(seen.error.details ?? seen.error.message) + seen.error.message, /3:The specified entity already exists/);
  assert.equal((await all(table.listEntities())).length, 1);
});

test("a wrong key is refused", async () => {
  const wrong = connectionString.replace(/AccountKey=[^;]*/, "AccountKey=" + Buffer.from("wrong").toString("base64"));
  const client = TableClient.fromConnectionString(wrong, newTableName(), options);
  await fails(client.getEntity("p", "r"), 403, "AuthenticationFailed");
});

await run();
