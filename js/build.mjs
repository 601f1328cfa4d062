// Build the page's script and style into the Python package: npm run build; npm run check says whether they are up to date.
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const root = new URL("./", import.meta.url);
const assets = new URL("../src/jointmds/explorer/assets/", root);

async function bundle(entry) {
  const result = await esbuild.build({
    entryPoints: [fileURLToPath(new URL(entry, root))],
    bundle: true,
    minify: true,
    charset: "ascii",
    format: "iife",
    target: ["chrome90", "firefox90", "safari15"],
    legalComments: "none", // the licences are in a file of their own, and in the page
    write: false,
    metafile: true,
  });
  return { text: result.outputFiles[0].text, inputs: Object.keys(result.metafile.inputs) };
}

async function licences(inputs) {
  const names = new Set();
  for (const input of inputs) {
    const found = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input);
    if (found) names.add(found[1]);
  }
  const parts = [];
  for (const name of [...names].sort()) {
    const folder = new URL(`node_modules/${name}/`, root);
    const { version, license, homepage = "" } = JSON.parse(await readFile(new URL("package.json", folder), "utf8"));
    let text = "";
    for (const file of ["LICENSE", "LICENSE.md"])
      text ||= await readFile(new URL(file, folder), "utf8").catch(() => "");
    if (!text) throw new Error(`${name} has no licence file`);
    parts.push(`${name} ${version} (${license})\n${homepage}\n\n${text.trim()}\n`);
  }
  return parts.join(`\n${"-".repeat(80)}\n\n`);
}

const script = await bundle("src/main.js");
const style = await bundle("src/style.css");
const files = {
  "explorer.js": script.text,
  "explorer.css": style.text,
  "LICENSES.txt": await licences(script.inputs),
};

let stale = false;
for (const [name, text] of Object.entries(files)) {
  const path = new URL(name, assets);
  if (process.argv.includes("--check")) {
    if ((await readFile(path, "utf8").catch(() => "")) !== text) {
      console.error(`${name} is not what js/ builds: run npm run build`);
      stale = true;
    }
  } else {
    await writeFile(path, text);
    console.log(`${name}  ${(text.length / 1000).toFixed(1)} kB`);
  }
}
if (stale) process.exit(1);
