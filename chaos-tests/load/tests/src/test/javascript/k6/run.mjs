// Runs a k6 script under Node, on stand-ins of the modules of k6 that the script imports: node run.mjs SCRIPT ITERATIONS, with the script's settings in
// the environment. What k6 does beside that (pacing, measuring, thresholds) is not imitated. Prints a line of JSON for each check, with how often it
// was right and wrong, and one for the script's options.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { counts } from "k6";
import exec from "k6/execution";

const [script, iterations] = process.argv.slice(2);
globalThis.__ENV = process.env;
globalThis.open = (file) => readFileSync(file, "utf8");

const { default: iterate, setup, options } = await import(pathToFileURL(script));
const data = setup();
for (let i = 0; i < Number(iterations); i++) {
  exec.scenario.iterationInTest = i;
  iterate(data);
}
console.log(JSON.stringify({ options }));
for (const [name, { right, wrong }] of counts) {
  console.log(JSON.stringify({ name, right, wrong }));
}
process.exit(0);
