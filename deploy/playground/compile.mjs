// Compiles the packages in a directory with Pyodide's own Python, and packs them into one file.
// node compile.mjs PYODIDE PACKAGES OUT: the same packages make the same bytes.
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [runtime, packages, out] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(path.resolve(runtime, "pyodide.mjs")));
// sets of constants are written in the order of their hashes
const python = await loadPyodide({ indexURL: path.resolve(runtime) + path.sep, env: { PYTHONHASHSEED: "0" } });
const site = python.runPython("import site; site.getsitepackages()[0]");
python.FS.mkdir("/packages");
python.FS.mount(python.FS.filesystems.NODEFS, { root: path.resolve(packages) }, "/packages");
python.runPython(`
import pathlib, py_compile, zipfile

with zipfile.ZipFile("/app.zip", "w", zipfile.ZIP_DEFLATED) as packed:
    for path in sorted(pathlib.Path("/packages").rglob("*")):
        if not path.is_file():
            continue
        name = path.relative_to("/packages")
        data = path.read_bytes()
        if path.suffix == ".py":
            py_compile.compile(
                str(path), "/one.pyc", dfile="${site}/" + str(name), doraise=True, optimize=0,
                invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
            )
            name, data = name.with_suffix(".pyc"), pathlib.Path("/one.pyc").read_bytes()
        packed.writestr(zipfile.ZipInfo(str(name)), data, zipfile.ZIP_DEFLATED)
`);
fs.writeFileSync(out, python.FS.readFile("/app.zip"));
