// What the suites share. Each is run as: node SUITE CONNECTION_STRING
// and prints one line of JSON a test: {"name": ..., "ok": ..., "error": ...}.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";

export const connectionString = process.argv[2];
const setting = (name) => new RegExp(`${name}=([^;]*)`).exec(connectionString)[1];
export const account = setting("AccountName");
export const key = setting("AccountKey");
export const endpoint = new URL(setting("TableEndpoint"));
export const newTableName = () => "O" + randomUUID().replaceAll("-", "");

const tests = [];
export const test = (name, body) => tests.push({ name, body });

// These clients know of path style only for the emulator's own port.
export const inPathStyle = (service) => {
  service.usePathStyleUri = true;
  (service.authenticationProvider ?? service.storageCredentials).usePathStyleUri = true;
  return service;
};

// A method that ends in a callback (error, ...results), as a promise of all results.
export const calling = (service) => (method, ...args) =>
  new Promise((resolve, reject) => {
    service[method](...args, (error, ...results) => (error ? reject(error) : resolve(results)));
  });

export const refused = async (promise, status, code) => {
  const error = await promise.then(() => assert.fail("the call succeeded but must fail"), (thrown) => thrown);
  assert.deepEqual({ status: error.statusCode, code: error.code }, { status, code }, error.stack);
  return error;
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
  process.exit(0); // Their agents hold connections open.
};
