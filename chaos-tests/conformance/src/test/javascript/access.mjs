// Shared access signatures and access policies by the unmodified JavaScript SDK.
import assert from "node:assert/strict";
import { AzureSASCredential, TableClient, TableServiceClient, generateAccountSas, generateTableSas } from "@azure/data-tables";
import { all, credential, endpoint, fails, newTable, newTableName, options, run, test, until } from "./harness.mjs";

const hour = 3600 * 1000;
const seconds = (milliseconds) => new Date(Math.floor((Date.now() + milliseconds) / 1000) * 1000);

const by = (sas, table) => new TableClient(endpoint, table.tableName, new AzureSASCredential(sas), options);
const tableBy = (table, values) => by(generateTableSas(table.tableName, credential, values), table);
const filled = async () => {
  const table = await newTable();
  for (const partitionKey of ["a", "b", "c"]) {
    await table.createEntity({ partitionKey, rowKey: "r", v: 1 });
  }
  return table;
};

test("a table signature permits what it says", async () => {
  const table = await filled();
  const reader = tableBy(table, { permissions: { query: true }, expiresOn: seconds(hour) });
  assert.equal((await reader.getEntity("a", "r")).v, 1);
  assert.equal((await all(reader.listEntities())).length, 3);
  await fails(reader.createEntity({ partitionKey: "n", rowKey: "r" }), 403, "AuthorizationPermissionMismatch");
  const writer = tableBy(table, { permissions: { add: true, update: true, delete: true }, startsOn: seconds(-hour) });
  await writer.createEntity({ partitionKey: "n", rowKey: "r" });
  await writer.upsertEntity({ partitionKey: "n", rowKey: "r", w: 1 });
  await writer.submitTransaction([["update", { partitionKey: "n", rowKey: "r", x: 1 }, "Merge"]]);
  await writer.deleteEntity("n", "r");
  await fails(writer.getEntity("a", "r"), 403, "AuthorizationPermissionMismatch");
  const late = tableBy(table, { expiresOn: seconds(-hour) });
  await fails(late.getEntity("a", "r"), 403, "AuthenticationFailed");
});

test("a range of keys narrows queries and refuses the rest", async () => {
  const table = await filled();
  const permissions = { query: true, add: true };
  const narrow = tableBy(table, { permissions, startPartitionKey: "b", endPartitionKey: "b" });
  assert.deepEqual((await all(narrow.listEntities())).map((entity) => entity.partitionKey), ["b"]);
  await narrow.createEntity({ partitionKey: "b", rowKey: "other" });
  await fails(narrow.createEntity({ partitionKey: "bb", rowKey: "r" }), 403, "AuthorizationFailure");
  await fails(narrow.getEntity("a", "r"), 404, "ResourceNotFound");
});

test("access policies come back as they were set, and signatures end with them", async () => {
  const table = await filled();
  const accessPolicy = { start: seconds(-hour), expiry: seconds(hour), permission: "r" };
  await table.setAccessPolicy([{ id: "readers", accessPolicy }, { id: "others", accessPolicy }]);
  const policies = [...(await table.getAccessPolicy())].map(({ id, accessPolicy: policy }) => ({ id, accessPolicy: { ...policy } }));
  assert.deepEqual(policies, [{ id: "readers", accessPolicy }, { id: "others", accessPolicy }]);
  const reader = tableBy(table, { identifier: "readers" });
  await until(async () => assert.equal((await reader.getEntity("a", "r")).v, 1));
  await until(() => fails(reader.createEntity({ partitionKey: "n", rowKey: "r" }), 403, "AuthorizationPermissionMismatch"));
  await table.setAccessPolicy([{ id: "others", accessPolicy }]);
  await until(() => fails(reader.getEntity("a", "r"), 403, "AuthenticationFailed"));
  await table.setAccessPolicy([]);
  assert.equal((await table.getAccessPolicy()).length, 0);
});

test("an account signature permits what it says", async () => {
  const account = (permissions, rest) =>
    new TableServiceClient(endpoint, new AzureSASCredential(generateAccountSas(credential, { permissions, ...rest })), options);
  const everything = { query: true, write: true, delete: true, list: true, add: true, update: true };
  const client = account(everything);
  const name = newTableName();
  await client.createTable(name);
  const own = by(generateAccountSas(credential, { permissions: everything }), { tableName: name });
  await own.upsertEntity({ partitionKey: "p", rowKey: "r", v: 1 });
  assert.equal((await own.getEntity("p", "r")).v, 1);
  assert.ok((await all(client.listTables())).some((table) => table.name === name));
  await fails(account({ query: true }).deleteTable(name), 403, "AuthorizationPermissionMismatch");
  await fails(account(everything, { resourceTypes: "so" }).deleteTable(name), 403, "AuthorizationResourceTypeMismatch");
  await fails(account(everything, { services: { blob: true } }).deleteTable(name), 403, "AuthorizationServiceMismatch");
  await client.deleteTable(name);
});

await run();
