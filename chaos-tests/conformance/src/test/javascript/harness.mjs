// What the suites share. Each is run as: node SUITE CONNECTION_STRING
// and prints one line of JSON a test: {"name": ..., "ok": ..., "error": ...}.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { AzureNamedKeyCredential, TableClient, TableServiceClient } from "@azure/data-tables";

export const connectionString = process.argv[2];
const setting = (name) => new RegExp(`${name}=([^;]*)`).exec(connectionString)[1];
export const endpoint = setting("TableEndpoint");
export const credential = new AzureNamedKeyCredential(setting("AccountName"), setting("AccountKey"));
export const options = { allowInsecureConnection: true };
export const service = TableServiceClient.fromConnectionString(connectionString, options);

const tests = [];
export const test = (name, body) => tests.push({ name, body });

export const newTableName = () => "J" + randomUUID().replaceAll("-", "");
export const newTable = async () => {
  const client = TableClient.fromConnectionString(connectionString, newTableName(), options);
  await client.createTable();
  return client;
};
export const all = async (iterable) => {
  const found = [];
  for await (const item of iterable) {
    found.push(item);
  }
  return found;
};
export const failure = async (promise) => {
  try {
    await promise;
  } catch (error) {
    return { status: error.statusCode, code: error.code ?? error.details?.odataError?.code, error };
  }
  return assert.fail("the call succeeded but must fail");
};
export const fails = async (promise, status, code) => {
  const seen = await failure(promise);
  const told = seen.error.details?.odataError?.code ?? seen.code;
  assert.deepEqual({ status: seen.status, code: told }, { status, code });
};

// For what counts once every part of the service has forgotten what was before.
export const until = async (body) => {
  const deadline = Date.now() + 60_000;
  for (;;) {
    try {
      return await body();
    } catch (notYet) {
      if (Date.now() > deadline) {
        throw notYet;
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
};

export const run = async () => {
  for (const { name, body } of tests) {
    let error = null;
    try {
      await body();
    } catch (thrown) {
      error = thrown.stack ?? String(thrown);
    }
    console.log(JSON.stringify({ name, ok: error === null, error: error ?? "" }));
  }
};
