// The page: it takes objects and an upgrade, and shows what the program says. No object leaves it: a link
// carries the two releases, and whether the sample is meant.
const LARGEST = 64 * 2 ** 20;
const ROWS = 20;
const EXPLAINED = 3;
const EXAMPLE = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
spec:
  replicas: 2
  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels: {app: web}
    spec:
      containers:
      - name: web
        image: nginx:1.27
        ports: [{containerPort: 8080}]
        livenessProbe:
          httpGet: {path: /healthz, port: 8080}
        volumeMounts: [{name: data, mountPath: /data}]
      volumes: [{name: data, emptyDir: {}}]
`;

const $ = (id) => document.getElementById(id);
const facts = await (await fetch("facts.json")).json();
let worker, waiting, report, last = 0;
let files = []; // none: the sample cluster

function begin() {
  worker?.terminate();
  worker = new Worker("worker.js", { type: "module" });
  worker.onerror = (event) => say(`The program could not be loaded: ${event.message || "see the console"}`, true);
  return new Promise((resolve) => {
    worker.onmessage = ({ data }) => {
      if ("ready" in data) {
        if (!data.ready) return say(`The program could not be loaded: ${data.error}`, true);
        $("go").disabled = false;
        say("Ready.");
        resolve();
      } else if (waiting?.id === data.id) {
        const { done } = waiting;
        waiting = null;
        done(data);
      }
    };
  });
}

function say(text, wrong = false) {
  $("state").textContent = text;
  $("state").classList.toggle("wrong", wrong);
}

/* Ask the program for some commands over one input; what it says, or null where it was stopped. */
async function ask(commands, what) {
  busy(true);
  const begun = performance.now();
  const tick = setInterval(() => say(`${what}: ${Math.round((performance.now() - begun) / 1000)} s`), 1000);
  say(`${what} ...`);
  try {
    return await new Promise((done) => {
      waiting = { id: ++last, done };
      worker.postMessage({ id: last, commands, files });
    });
  } finally {
    clearInterval(tick);
    busy(false);
  }
}

function busy(on) {
  for (const id of ["go", "example", "sample", "matrix"]) $(id).disabled = on;
  $("stop").hidden = !on;
  $("main").setAttribute("aria-busy", String(on));
}

const source = () => (files.length ? files.flatMap(({ name }) => ["-f", name]) : ["--sample"]);
const upgrade = () => ["--from", $("from").value, "--to", $("to").value];

async function plan() {
  remember();
  const found = await ask([["plan", ...upgrade(), ...source(), "-o", "html"]], "Planning");
  if (found) show(found, `plan-${$("from").value}-${$("to").value}.html`);
}

async function matrix() {
  const found = await ask([["matrix", ...source(), "-o", "html"]], "Comparing all releases");
  if (found) show(found, "matrix.html");
}

function show({ answers: [{ code, out, err }], seconds }, name) {
  // 0 and 2 are answers: nothing restarts, and something does; the rest are errors, said in one line
  if ((code !== 0 && code !== 2) || !out) {
    $("result").hidden = true;
    return say(err.trim() || `The program ended with exit code ${code}.`, true);
  }
  report = { html: out, name };
  $("answer-here").replaceChildren(...excerpt(out));
  $("result").hidden = false;
  say(`Done in ${seconds.toFixed(1)} s.`);
  $("result").focus({ preventScroll: true });
  $("result").scrollIntoView({ block: "start" });
}

/* The report's own answer, reasons and tables: of rows and explanations the first few, the report has all. */
function excerpt(html) {
  const main = new DOMParser().parseFromString(html, "text/html").querySelector("main");
  const h1 = main.querySelector("h1");
  const title = document.createElement("h2");
  title.className = "title";
  title.textContent = h1.textContent;
  h1.replaceWith(title);
  for (const one of main.querySelectorAll(".controls, nav, script, style")) one.remove();
  for (const table of main.querySelectorAll("table.rows")) {
    table.classList.add("ready"); // the report's script, which marks its own, finds no table at the start
    const rows = table.tBodies[0].rows;
    const all = rows.length;
    while (rows.length > ROWS) rows[ROWS].remove();
    if (all > ROWS) {
      const note = document.createElement("p");
      note.className = "quiet";
      note.textContent = `The first ${ROWS} of ${all.toLocaleString("en")} rows; the whole report has all, to search and to sort.`;
      table.closest(".scroll").after(note);
    }
  }
  for (const one of Array.from(main.querySelectorAll(".why")).slice(EXPLAINED)) one.remove();
  for (const one of main.querySelectorAll("[hidden]")) one.hidden = false;
  // a link to what was left out leads nowhere
  for (const one of main.querySelectorAll('a[href^="#"]')) {
    if (!main.querySelector(`[id="${CSS.escape(one.hash.slice(1))}"]`)) one.replaceWith(...one.childNodes);
  }
  return Array.from(main.childNodes, (one) => document.importNode(one, true));
}

/* Links carry the upgrade alone: never an object. */
function remember() {
  const words = new URLSearchParams({ from: $("from").value, to: $("to").value });
  if (!files.length) words.set("sample", "");
  history.replaceState(null, "", `#${words}`);
}

async function use(chosen) {
  const size = chosen.reduce((sum, file) => sum + file.size, 0);
  if (size > LARGEST) {
    const names = chosen.map((file) => `-f ${file.name}`).join(" ");
    return say(`That is more than 64 MB: use the command line for it, hashcompat plan ${names}`, true);
  }
  // messages show the names, each of which is one file's
  files = await Promise.all(chosen.map(async (file, place) => ({
    name: `${place ? `${place + 1}-` : ""}${file.name.replace(/[^\w.-]/g, "_").replace(/^[.-]+/, "") || "input"}`,
    bytes: await file.arrayBuffer(),
  })));
  await plan();
}

function pasted() {
  const text = $("pods").value;
  if (!text.trim()) return say("Paste an object, choose a file, or take the sample cluster.", true);
  const name = /^\s*[{[]/.test(text) ? "pasted.json" : "pasted.yaml";
  files = [{ name, bytes: new TextEncoder().encode(text).buffer }];
  return plan();
}

function fill() {
  const words = new URLSearchParams(location.hash.slice(1));
  for (const [id, usual] of [["from", facts.from], ["to", facts.to]]) {
    for (const release of facts.releases) $(id).append(new Option(release, release));
    $(id).value = facts.releases.includes(words.get(id)) ? words.get(id) : usual;
  }
  return words.has("sample");
}

function listen() {
  $("form").onsubmit = (event) => {
    event.preventDefault();
    return $("file").files.length ? use(Array.from($("file").files)) : pasted();
  };
  $("file").onchange = () => { if ($("file").files.length) $("pods").value = ""; };
  $("pods").oninput = () => { $("file").value = ""; };
  $("example").onclick = () => { $("file").value = ""; $("pods").value = EXAMPLE; $("pods").focus(); };
  $("sample").onclick = () => { files = []; return plan(); };
  $("matrix").onclick = matrix;
  $("open").onclick = () => {
    const url = URL.createObjectURL(new Blob([report.html], { type: "text/html" }));
    open(url, "_blank", "noopener");
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
  };
  $("save").onclick = () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([report.html], { type: "text/html" }));
    link.download = report.name;
    link.click();
    URL.revokeObjectURL(link.href);
  };
  // the address keeps the upgrade, so a link within the answer only scrolls
  $("answer-here").onclick = (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (!link) return;
    event.preventDefault();
    $(link.hash.slice(1))?.scrollIntoView();
  };
  $("link").onclick = async () => {
    await navigator.clipboard.writeText(location.href);
    say("Copied: the link carries the two releases, and none of your objects.");
  };
  $("stop").onclick = async () => {
    waiting?.done(null);
    waiting = null;
    say("Stopped; loading the program again.");
    await begin();
  };
  // anywhere: a browser leaves the page for a file that is dropped beside its place
  for (const name of ["dragover", "dragleave", "drop"]) {
    document.addEventListener(name, (event) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      $("drop").classList.toggle("over", name === "dragover");
      if (name !== "drop") return;
      $("file").files = event.dataTransfer.files;
      $("pods").value = "";
      if (!$("go").disabled) $("form").requestSubmit();
    });
  }
}

const wantsSample = fill();
listen();
await begin();
if (wantsSample) await plan();
