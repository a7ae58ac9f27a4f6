// Properties of the service and its statistics by the unmodified JavaScript SDK.
import assert from "node:assert/strict";
import { TableServiceClient } from "@azure/data-tables";
import { credential, endpoint, options, run, service, test } from "./harness.mjs";

// Without the members that are undefined.
const plain = (object) => JSON.parse(JSON.stringify(object));

test("properties come back as they were set", async () => {
  const off = { version: "1.0", enabled: false, retentionPolicy: { enabled: false } };
  const logging = { version: "1.0", read: true, write: false, delete: true, retentionPolicy: { enabled: true, days: 3 } };
  const hourMetrics = { version: "1.0", enabled: true, includeAPIs: true, retentionPolicy: { enabled: true, days: 5 } };
  const rule = {
    allowedOrigins: "https://www.example.com,https://example.org",
    allowedMethods: "GET,PUT",
    allowedHeaders: "x-ms-meta*",
    exposedHeaders: "x-ms-*",
    maxAgeInSeconds: 60,
  };
  await service.setProperties({ logging, hourMetrics, minuteMetrics: off, cors: [rule] });
  const read = plain(await service.getProperties());
  assert.deepEqual(read.logging, logging);
  assert.deepEqual(read.hourMetrics, hourMetrics);
  assert.deepEqual(read.minuteMetrics, off);
  assert.deepEqual(read.cors, [rule]);
  await service.setProperties({ cors: [] });
  const cleared = plain(await service.getProperties());
  assert.deepEqual([cleared.cors ?? [], cleared.logging], [[], logging]);
  const silent = { version: "1.0", read: false, write: false, delete: false, retentionPolicy: { enabled: false } };
  await service.setProperties({ logging: silent, hourMetrics: off, minuteMetrics: off, cors: [] });
});

// The SDK puts the secondary into the host's name, which no resolver here knows: so it is led to the endpoint's address. (Under
// HTTPS it would then want a certificate of that name.)
const insecure = endpoint.startsWith("http:") ? test : () => {};
insecure("the secondary endpoint tells statistics", async () => {
  const { host, protocol } = new URL(endpoint);
  const named = new TableServiceClient(`${protocol}//${credential.name}.table.core.windows.net`, credential, options);
  const sendRequest = (request, next) => {
    const url = new URL(request.url);
    request.headers.set("Host", url.host);
    request.url = `${protocol}//${host}${url.pathname}${url.search}`;
    return next(request);
  };
  named.pipeline.addPolicy({ name: "resolve", sendRequest }, { afterPhase: "Sign" });
  const { geoReplication } = await named.getStatistics();
  assert.equal(geoReplication.status, "live");
  assert.ok(Math.abs(geoReplication.lastSyncTime - Date.now()) < 3600 * 1000);
});

await run();
