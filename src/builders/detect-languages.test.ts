import { expect, test } from "vitest";
import { detect, type Files } from "./detect.fixture.ts";
import type { BuildPlan, BuildSettings } from "./plan.ts";

/** What most cases are about, in one line. */
function summary({ stack, framework, steps, start, output }: BuildPlan): string {
  const serving = output.kind === "static" ? `files ${output.directory}` : start;
  return [framework ?? stack, ...steps.map((step) => step.command), serving].join(" | ");
}

const requirements = "pip install -r requirements.txt";
const gunicorn = `gunicorn --bind \${HOST:-0.0.0.0}:$PORT`;
const uvicorn = `uvicorn --host \${HOST:-0.0.0.0} --port $PORT`;

const cases: readonly (readonly [name: string, files: Files, settings: Partial<BuildSettings>, expected: string])[] = [
  [
    "Flask",
    { "requirements.txt": "Flask==3.1\ngunicorn\n", "app.py": "from flask import Flask\napp = Flask(__name__)\n" },
    {},
    `Flask | ${requirements} | ${gunicorn} app:app`,
  ],
  [
    "Flask, made by a function",
    { "requirements.txt": "flask\ngunicorn", "app/__init__.py": "def create_app(test=None):\n  pass\n" },
    {},
    `Flask | ${requirements} | ${gunicorn} 'app:create_app()'`,
  ],
  [
    "Flask, imported",
    { "requirements.txt": "flask\ngunicorn", "wsgi.py": "from shop import app\n" },
    {},
    `Flask | ${requirements} | ${gunicorn} wsgi:app`,
  ],
  [
    "FastAPI, uvicorn among its extras",
    { "requirements.txt": "fastapi[standard]", "app/main.py": "app: FastAPI = FastAPI()\n" },
    {},
    `FastAPI | ${requirements} | ${uvicorn} app.main:app`,
  ],
  [
    "FastAPI, listed in pyproject.toml",
    {
      "pyproject.toml":
        '[project]\nname = "x"\ndependencies = [\n  "fastapi>=0.1", # web\n  \'uvicorn[standard]>=0.3; python_version > "3.8"\',\n]\n\n[tool.x]\na = 1\n',
      "src/main.py": "api = FastAPI()\n",
    },
    {},
    `FastAPI | pip install 'fastapi>=0.1' 'uvicorn[standard]>=0.3; python_version > "3.8"' | ${uvicorn} --app-dir src main:api`,
  ],
  [
    "a package by pyproject.toml",
    {
      "pyproject.toml": '[build-system]\nrequires = ["hatchling"]\n\n[project]\ndependencies = ["flask", "gunicorn"]\n',
      "app.py": "app = Flask(__name__)",
    },
    {},
    `Flask | pip install . | ${gunicorn} app:app`,
  ],
  [
    "Poetry",
    {
      "pyproject.toml": '[tool.poetry.dependencies]\npython = "^3.11"\nflask = "^3"\ngunicorn = "*"\n[tool.poetry]\n',
      "app.py": "app = Flask(__name__)",
    },
    {},
    `Flask | pip install . | ${gunicorn} app:app`,
  ],
  [
    "Django",
    {
      "requirements.txt": "Django\ngunicorn",
      "manage.py": 'os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.production")',
      "config/wsgi.py": "application = 1",
      "package.json": { scripts: { start: "vite" } },
    },
    {},
    `Django | ${requirements} | ${gunicorn} config.wsgi:application`,
  ],
  [
    "Python by a Procfile",
    { "requirements.txt": "celery", Procfile: "web: gunicorn a:b\nworker: celery -A a worker" },
    { serviceType: "WORKER" },
    `python | ${requirements} | celery -A a worker`,
  ],
  [
    "Python, beside a package.json for the browser",
    { "requirements.txt": "x", "package.json": { scripts: { start: "node a" } }, Procfile: "web: python serve.py" },
    {},
    `python | ${requirements} | python serve.py`,
  ],
  [
    "Node, beside Python's tools",
    { "requirements.txt": "x", "package.json": { scripts: { start: "node a" } } },
    {},
    "node | node a",
  ],
  [
    "a site made by Python",
    { "requirements.txt": "mkdocs" },
    { serviceType: "STATIC", buildCommand: "mkdocs build", outputDirectory: "site" },
    `python | ${requirements} | mkdocs build | files site`,
  ],
  [
    "a Python worker by its usual name",
    { "requirements.txt": "x", "worker.py": "" },
    { serviceType: "WORKER" },
    `python | ${requirements} | python worker.py`,
  ],
  ["a site with Python's tools", { "requirements.txt": "x", "index.html": "" }, {}, "static | files "],
  [
    "Go",
    { "go.mod": "module example.com/shop/v2\n", "main.go": "package main\n" },
    {},
    "go | go build -o ./bin/shop . | ./bin/shop",
  ],
  [
    "Go, in cmd",
    { "go.mod": "module x/shop", "cmd/shop/main.go": "package main", "cmd/tool/main.go": "package main" },
    {},
    "go | go build -o ./bin/shop ./cmd/shop | ./bin/shop",
  ],
  [
    "Go, by its own commands",
    { "go.mod": "module x", Procfile: "web: bin/server" },
    { buildCommand: "make" },
    "go | make | bin/server",
  ],
  [
    "Ruby with Puma",
    { Gemfile: 'gem "sinatra"\ngem "puma"\n', "config.ru": "" },
    {},
    `ruby | bundle install | bundle exec puma --bind tcp://\${HOST:-0.0.0.0}:$PORT`,
  ],
  [
    "Rails",
    { Gemfile: "gem 'rails'\n", "Gemfile.lock": "    puma (6.4)\n", "config.ru": "", "package.json": {} },
    {},
    `Rails | bundle install | bundle exec puma --bind tcp://\${HOST:-0.0.0.0}:$PORT`,
  ],
  [
    "Rack",
    { Gemfile: "gem 'rack'", "config.ru": "" },
    {},
    `ruby | bundle install | bundle exec rackup --host \${HOST:-0.0.0.0} --port $PORT`,
  ],
  ["PHP", { "index.php": "<?php" }, {}, `php | php --version | php -S \${HOST:-0.0.0.0}:$PORT -t .`],
  [
    "Laravel",
    {
      "composer.json": { require: { "laravel/framework": "^12" } },
      artisan: "",
      "public/index.php": "",
      "package.json": { scripts: { build: "vite build" } },
    },
    {},
    `Laravel | composer install --no-dev --no-interaction --no-progress --optimize-autoloader | php -S \${HOST:-0.0.0.0}:$PORT -t public`,
  ],
];

test.each(cases)("%s", async (_, files, settings, expected) => {
  expect(summary(await detect(files, settings))).toBe(expected);
});

test.each<readonly [string, Files, Partial<BuildSettings>, RegExp]>([
  [
    "Flask without a server",
    { "requirements.txt": "flask", "app.py": "app = Flask(__name__)" },
    {},
    /Add gunicorn to requirements\.txt/,
  ],
  [
    "FastAPI behind gunicorn",
    { "requirements.txt": "fastapi\ngunicorn", "main.py": "app = FastAPI()" },
    {},
    /Add uvicorn/,
  ],
  ["Python without an application", { "requirements.txt": "x", "tool.py": "" }, {}, /Set startCommand.*web line/],
  ["a Python worker without a command", { "requirements.txt": "x" }, { serviceType: "WORKER" }, /worker line/],
  ["a Pipfile", { Pipfile: "" }, {}, /pipenv requirements > requirements\.txt/],
  ["Go without a program", { "go.mod": "module x", "lib.go": "package lib" }, {}, /no package main.*Set buildCommand/],
  ["Ruby without config.ru", { Gemfile: "" }, {}, /no config\.ru/],
  ["composer.json without a page", { "composer.json": {} }, {}, /no index\.php/],
  ["an unknown Node", { "package.json": { main: "a" }, ".nvmrc": "lts/zinc" }, {}, /\.nvmrc asks for Node "lts\/zinc"/],
  [
    "an unreadable engines",
    { "package.json": { main: "a", engines: { node: "new" } } },
    {},
    /engines of package\.json asks for Node "new"/,
  ],
])("refused: %s", async (_, files, settings, message) => {
  await expect(detect(files, settings)).rejects.toThrow(message);
});

test.each<readonly [string, Files, unknown]>([
  ["nothing", {}, null],
  [
    "engines",
    { "package.json": { main: "a", engines: { node: ">=18 <21" } } },
    { range: ">=18 <21", file: "engines of package.json" },
  ],
  ["a version file before engines", { ".nvmrc": "v20.11.1\n" }, { range: "v20.11.1", file: ".nvmrc" }],
  [
    ".node-version before .nvmrc",
    { ".nvmrc": "18", ".node-version": "# ours\n22\n" },
    { range: "22", file: ".node-version" },
  ],
  ["a code name", { ".nvmrc": "lts/Iron" }, { range: "20", file: ".nvmrc" }],
  ["the newest", { ".nvmrc": "lts/*" }, null],
])("Node version: %s", async (_, files, expected) => {
  const pack = { main: "a", ...(expected === null ? {} : { engines: { node: ">=18 <21" } }) };
  expect((await detect({ "package.json": pack, ...files })).wantedNode).toEqual(expected);
});

test("what is installed is kept while all that decides it is the same", async () => {
  const keys = async (files: Files) => {
    const step = (await detect(files, { startCommand: "x" })).steps[0];
    return step?.name === "install" ? step.keyFiles : undefined;
  };
  expect(
    await keys({ "requirements.txt": "-r deps/base.txt\nx", "deps/base.txt": "-c pins.txt", "deps/pins.txt": "x==1" }),
  ).toEqual(["requirements.txt", "deps/base.txt", "deps/pins.txt"]);
  expect(await keys({ "requirements.txt": "-e .\nx" })).toBeNull();
  expect(await keys({ "requirements.txt": "./vendored/x" })).toBeNull();
  expect(await keys({ Gemfile: "", "Gemfile.lock": "" })).toEqual(["Gemfile", "Gemfile.lock"]);
  expect(await keys({ Gemfile: "" })).toBeNull();
  expect(await keys({ Gemfile: 'gem "a", path: "b"', "Gemfile.lock": "" })).toBeNull();
});

test("the Procfile's release line is for services with a process", async () => {
  const files = { "package.json": { main: "a" }, Procfile: "release: node migrate.js\r\n" };
  expect((await detect(files)).releaseCommand).toBe("node migrate.js");
  expect((await detect({ ...files, "index.html": "" }, { serviceType: "STATIC" })).releaseCommand).toBeNull();
});
