/** Python: a list of requirements, and a server that is told where the application is. */
import { BuildPlanError, type BuildPlanStep } from "../plan.ts";
import {
  builtFiles,
  type DetectedPlan,
  givenStartCommand,
  type Inspection,
  isForNode,
  listenAddress,
  listenHost,
} from "./detector.ts";
import { type PythonProject, readPythonProject } from "./python-project.ts";

const projectFiles = ["requirements.txt", "pyproject.toml", "setup.py", "Pipfile", "manage.py"];
const programs = /^(python[\d.]*|gunicorn|uvicorn|hypercorn|daphne|flask|fastapi|celery|django-admin)\b/;

/** Where an application object usually is, and the module that it is then. */
const usualFiles = ["app", "main", "wsgi", "asgi", "server", "api", "application"].flatMap((name) =>
  ["", "app/", "src/"].map((folder) => ({ file: `${folder}${name}.py`, folder, name })),
);
const packages = ["app/__init__.py", "src/__init__.py"];
const asyncFrameworks = /\b(FastAPI|Starlette|Quart|Litestar|Sanic)\s*\(/;

interface Application {
  /** `main:app` */
  readonly path: string;
  /** The folder to look for modules in; empty for the working directory. */
  readonly folder: string;
  readonly isAsync: boolean;
  readonly file: string;
}

interface Serving {
  readonly start: string;
  readonly framework: string | null;
  readonly reason: string;
}

export async function detectPython(inspection: Inspection): Promise<DetectedPlan | null> {
  const { names, settings } = inspection;
  const found = projectFiles.find((file) => names.has(file));
  if (found === undefined || isForNode(inspection, ["manage.py"], programs)) return null;
  const files = builtFiles(inspection);
  if (inspection.wantsStatic && files === null) return null;
  const project = await readPythonProject(inspection);
  const serving = files === null ? await chooseServing(inspection, project) : null;
  if (files === null && serving === null) return null;
  const steps: BuildPlanStep[] = project.install === null ? [] : [project.install];
  if (settings.buildCommand !== null) steps.push({ name: "build", command: settings.buildCommand });
  return {
    stack: "python",
    framework: serving?.framework ?? null,
    packageManager: null,
    needs: ["python3"],
    reasons: [`${found} found`, ...project.reasons, ...(serving === null ? [] : [serving.reason])],
    steps,
    start: serving?.start ?? null,
    output: files ?? { kind: "process" },
    // Otherwise what is printed comes in blocks, and the last of it never when the process is killed.
    startEnv: { PYTHONUNBUFFERED: "1" },
  };
}

/** null: no application after all, but a site that has Python tools. */
async function chooseServing(inspection: Inspection, project: PythonProject): Promise<Serving | null> {
  const { names, settings } = inspection;
  const given = givenStartCommand(inspection);
  if (given !== null) return { start: given.command, framework: frameworkOf(project), reason: given.reason };
  if (settings.serviceType === "WORKER") {
    const file = ["worker.py", "main.py"].find((name) => names.has(name));
    if (file !== undefined) return { start: `python ${file}`, framework: null, reason: `${file} found` };
    throw new BuildPlanError(
      'It is not known how to start the worker. Set startCommand (such as "python worker.py"), or add a Procfile with a worker line.',
    );
  }
  const application = names.has("manage.py") ? await findDjango(inspection) : await findApplication(inspection);
  if (application === null) {
    if (names.has("index.html") && !names.has("manage.py")) return null;
    throw new BuildPlanError(
      "It is not known how to start the application: no app or application object was found in app.py, main.py, wsgi.py and the like. " +
        'Set startCommand (such as "gunicorn package.module:app"), or add a Procfile with a web line.',
    );
  }
  const server = ["uvicorn", "gunicorn"].find(
    (name) => project.packages.has(name) && (name === "uvicorn") === application.isAsync,
  );
  if (server === undefined) {
    const wanted = application.isAsync ? "uvicorn" : "gunicorn";
    throw new BuildPlanError(
      `${application.path} in ${application.file} needs a server for production. Add ${wanted} to ${project.file}, or set startCommand.`,
    );
  }
  return {
    start: commandOf(server, application),
    framework: names.has("manage.py") ? "Django" : frameworkOf(project),
    reason: `${application.file} found, and ${server} in ${project.file}`,
  };
}

function commandOf(server: string, { path, folder }: Application): string {
  const quoted = /^[\w.:]+$/.test(path) ? path : `'${path}'`;
  if (server === "gunicorn") {
    return `gunicorn --bind ${listenAddress}${folder === "" ? "" : ` --chdir ${folder}`} ${quoted}`;
  }
  return `uvicorn --host ${listenHost} --port $PORT${folder === "" ? "" : ` --app-dir ${folder}`} ${quoted}`;
}

function frameworkOf({ packages: names }: PythonProject): string | null {
  const known = { django: "Django", fastapi: "FastAPI", flask: "Flask" };
  return Object.entries(known).find(([name]) => names.has(name))?.[1] ?? null;
}

/** The package of the settings that manage.py names has the server's entry beside them. */
async function findDjango({ source }: Inspection): Promise<Application | null> {
  const manage = (await source.read("manage.py")) ?? "";
  const settings = /DJANGO_SETTINGS_MODULE["']\s*,\s*["']([\w.]+)["']/.exec(manage)?.[1] ?? "";
  const parts = settings.split(".");
  for (let length = parts.length - 1; length > 0; length--) {
    const folder = parts.slice(0, length);
    const file = `${folder.join("/")}/wsgi.py`;
    if ((await source.read(file)) !== null) {
      return { path: `${folder.join(".")}.wsgi:application`, folder: "", isAsync: false, file };
    }
  }
  return null;
}

async function findApplication({ source }: Inspection): Promise<Application | null> {
  for (const { file, folder, name } of usualFiles) {
    const object = objectIn(await source.read(file));
    if (object === null) continue;
    // `app/` is mostly a package, `src/` a folder of modules.
    const module = folder === "app/" ? `app.${name}` : name;
    return { path: `${module}:${object.name}`, folder: folder === "src/" ? "src" : "", isAsync: object.isAsync, file };
  }
  for (const file of packages) {
    const object = objectIn(await source.read(file));
    const module = file.split("/")[0] ?? "";
    if (object !== null) return { path: `${module}:${object.name}`, folder: "", isAsync: object.isAsync, file };
  }
  return null;
}

/** An application made or imported at the top of a module, or a function that makes one. */
function objectIn(text: string | null): { readonly name: string; readonly isAsync: boolean } | null {
  if (text === null) return null;
  const isAsync = asyncFrameworks.test(text) || /\bget_asgi_application\(/.test(text);
  const made =
    /^(app|application|api|server)[ \t]*(?::[^=\n]{1,200})?=(?!=)/m.exec(text)?.[1] ??
    /^from[ \t]+\S{1,200}[ \t]+import\b[^\n]{0,500}\b(app|application)[ \t\r]*$/m.exec(text)?.[1];
  if (made !== undefined) return { name: made, isAsync };
  const factory = /^def[ \t]+(create_app|make_app)[ \t]*\(/m.exec(text)?.[1];
  return factory === undefined || isAsync ? null : { name: `${factory}()`, isAsync };
}
