// Installs wheels by micropip, as a page does, and plans the sample: node micropip.mjs PYODIDE TOOLS WHEEL...
// TOOLS are the wheels of micropip and what it needs. Each WHEEL is installed after the one before it.
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [runtime, tools, ...wheels] = process.argv.slice(2).map((one) => path.resolve(one));
const { loadPyodide } = await import(pathToFileURL(path.join(runtime, "pyodide.mjs")));
const lock = JSON.parse(fs.readFileSync(path.join(runtime, "pyodide-lock.json"), "utf8"));
lock.packages = {}; // they are on a network for browsers, so micropip has to ask the package index for all
const python = await loadPyodide({ indexURL: runtime + path.sep, lockFileContents: JSON.stringify(lock) });
const site = python.runPython("import site; site.getsitepackages()[0]");
const bytes = (name) => new Uint8Array(fs.readFileSync(name));
for (const name of fs.readdirSync(tools)) {
  python.unpackArchive(bytes(path.join(tools, name)), "wheel", { extractDir: site });
}
for (const name of wheels) {
  const place = `/tmp/${path.basename(name)}`;
  python.FS.writeFile(place, bytes(name));
  await python.runPythonAsync(`import micropip; await micropip.install("emfs:${place}")`);
}
console.log(python.runPython(`
import hashcompat

summary = hashcompat.plan(hashcompat.load_sample(), "1.30.14", "1.31.14").summary
f"{summary.verdicts[hashcompat.Verdict.RESTART]} of {summary.compared}"
`));
