// The program in a thread of its own: Python with hashcompat, loaded once; each message is a command.
import { loadPyodide } from "./pyodide/pyodide.mjs";

const INPUT = "/input";
let ask;

async function start() {
  const packed = fetch("app.zip").then((response) => {
    if (!response.ok) throw new Error(`app.zip: ${response.status}`);
    return response.arrayBuffer();
  });
  const python = await loadPyodide({ indexURL: new URL("./pyodide/", import.meta.url).href });
  const site = python.runPython("import site; site.getsitepackages()[0]");
  python.unpackArchive(await packed, "zip", { extractDir: site });
  python.FS.mkdir(INPUT);
  python.FS.chdir(INPUT);
  ask = python.runPython("import answers; answers.ask");
  return python;
}

const started = start();
started.then(() => postMessage({ ready: true }), (error) => postMessage({ ready: false, error: String(error) }));

onmessage = async ({ data: { id, commands, files } }) => {
  const python = await started;
  const begun = performance.now();
  for (const { name, bytes } of files) python.FS.writeFile(`${INPUT}/${name}`, new Uint8Array(bytes));
  const answers = [];
  try {
    for (const words of commands) {
      const [code, out, err] = ask(words).toJs();
      answers.push({ code, out, err });
      if (code !== 0 && code !== 2) break;
    }
  } catch (error) {
    answers.push({ code: 70, out: "", err: `The program ended: ${error.message || error}` });
  } finally {
    for (const { name } of files) python.FS.unlink(`${INPUT}/${name}`);
  }
  postMessage({ id, answers, seconds: (performance.now() - begun) / 1000 });
};
