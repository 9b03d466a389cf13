/** What a Python source says of the packages that it needs. */
import type { SourceTree } from "../../kernel/source-tree.ts";
import { BuildPlanError, type BuildPlanStep } from "../plan.ts";
import type { Inspection } from "./detector.ts";

export interface PythonProject {
  /** null: nothing to install. */
  readonly install: Extract<BuildPlanStep, { name: "install" }> | null;
  /** Names of packages that it needs, in lower case and with `-` for `_`; maybe some more words. */
  readonly packages: ReadonlySet<string>;
  /** The file that names them. */
  readonly file: string;
  readonly reasons: readonly string[];
}

/** Requirements from a folder, or an archive in it: what they are is not known from the file. */
const local = /^(-e\b|--editable\b|\.|\/|file:)|@\s*file:/;
const deepestInclude = 5;

export async function readPythonProject({ source, names }: Inspection): Promise<PythonProject> {
  if (names.has("requirements.txt")) return readRequirements(source);
  const text = names.has("pyproject.toml") ? ((await source.read("pyproject.toml")) ?? "") : "";
  if (/^\[(project|tool\.poetry)\]/m.test(text)) return readPyproject(text);
  if (names.has("setup.py")) return whole("setup.py", (await source.read("setup.py")) ?? "");
  if (names.has("Pipfile")) {
    throw new BuildPlanError(
      "Ksar installs from requirements.txt or pyproject.toml, and here is a Pipfile. Run pipenv requirements > requirements.txt, commit that file and push.",
    );
  }
  return { install: null, packages: new Set(), file: "requirements.txt", reasons: ["no requirements.txt"] };
}

async function readRequirements(source: SourceTree): Promise<PythonProject> {
  const texts = new Map<string, string>();
  const read = async (file: string, depth: number): Promise<void> => {
    const text = await source.read(file);
    if (text === null || texts.has(file) || depth > deepestInclude) return;
    texts.set(file, text);
    const folder = file.split("/").slice(0, -1);
    for (const [, name = ""] of text.matchAll(/^[ \t]*(?:-r|-c|--requirement|--constraint)[ \t=]*(\S+)/gm)) {
      const parts = [...folder, ...name.split("/").filter((part) => part !== ".")];
      if (!parts.includes("..")) await read(parts.join("/"), depth + 1);
    }
  };
  await read("requirements.txt", 0);
  const lines = [...texts.values()].flatMap((text) => text.split("\n").map((line) => line.trim()));
  const unkept = lines.find((line) => local.test(line) || /^-[rc].*\.\./.test(line));
  const command = "pip install -r requirements.txt";
  return {
    install: { name: "install", command, keyFiles: unkept === undefined ? [...texts.keys()] : null },
    packages: namesIn([...texts.values()].join("\n")),
    file: "requirements.txt",
    reasons:
      unkept === undefined ? [] : [`what is installed is not kept between builds because of ${unkept.slice(0, 80)}`],
  };
}

function readPyproject(text: string): PythonProject {
  // Without a build system it is no package itself, only a list of what to install.
  const listed = /^\[build-system\]/m.test(text) ? null : dependencyList(text);
  if (listed === null) return whole("pyproject.toml", text);
  const quoted = listed.map((requirement) => `'${requirement.replaceAll("'", `'\\''`)}'`);
  return {
    install:
      quoted.length === 0
        ? null
        : { name: "install", command: `pip install ${quoted.join(" ")}`, keyFiles: ["pyproject.toml"] },
    packages: namesIn(text),
    file: "pyproject.toml",
    reasons: [],
  };
}

/** The application is a package, and is installed with what it needs. */
function whole(file: string, text: string): PythonProject {
  return {
    install: { name: "install", command: "pip install .", keyFiles: null },
    packages: namesIn(text),
    file,
    reasons: ["what is installed is not kept between builds: the application is a part of it"],
  };
}

/** `dependencies` of the table `project`; null when they can't be read from there. */
function dependencyList(text: string): readonly string[] | null {
  const table = /^\[project\][^\n]*\n([\s\S]*?)(?=^\[|(?![\s\S]))/m.exec(text)?.[1];
  if (table === undefined || /^dynamic[ \t]*=[ \t]*\[[^\]]{0,500}dependencies/m.test(table)) return null;
  const start = /^dependencies[ \t]*=[ \t]*\[/m.exec(table);
  if (start === null) return [];
  const found: string[] = [];
  // Strings, comments and whatever stands between them, up to the list's end.
  const token = /"((?:[^"\\\n]|\\.)*)"|'([^'\n]*)'|#[^\n]*|(\])|[^"'#\]]+/y;
  token.lastIndex = start.index + start[0].length;
  for (let match = token.exec(table); match !== null; match = token.exec(table)) {
    if (match[3] !== undefined) return found;
    const string = match[1]?.replace(/\\(["\\])/g, "$1") ?? match[2];
    // An option of pip's is no requirement.
    if (string !== undefined && !string.trim().startsWith("-")) found.push(string);
  }
  return null;
}

function namesIn(text: string): ReadonlySet<string> {
  const words = [...text.matchAll(/(?:^|["'])[ \t]*([A-Za-z][\w.-]*)(?:\[([^\]\n]{0,200})\])?/gm)];
  const names = words.map(([, name = ""]) => name.toLowerCase().replaceAll("_", "-"));
  // `fastapi[standard]` brings uvicorn along.
  const extras = words.some(([, name, extra = ""]) => name === "fastapi" && /\b(standard|all)\b/.test(extra));
  return new Set(extras ? [...names, "uvicorn"] : names);
}
