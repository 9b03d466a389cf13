import fc from "fast-check";
import { expect, test } from "vitest";
import { startCommand, staticDirectory, workingDirectory } from "./build-steps.ts";
import { detect, type Files, summary } from "./detect.fixture.ts";
import { BuildPlanError, type BuildSettings, renderBuildPlan } from "./plan.ts";

const project = (dependencies: readonly string[], scripts: Record<string, string> = {}, more: object = {}): Files => ({
  "package.json": { scripts, dependencies: Object.fromEntries(dependencies.map((name) => [name, "1"])), ...more },
  "package-lock.json": {},
});

const cases: readonly (readonly [name: string, files: Files, settings: Partial<BuildSettings>, expected: string])[] = [
  ["Express", project(["express"], { start: "node app.js" }), {}, "node |  | node app.js"],
  [
    "a build before the start",
    project(["express"], { build: "tsc", start: "node dist/app.js" }),
    {},
    "node | npm run build | node dist/app.js",
  ],
  [
    "a start through other scripts",
    project([], { start: "npm run serve", serve: "node a.js", prestart: "node migrate.js" }),
    {},
    "node |  | node migrate.js && node a.js",
  ],
  ["scripts in a circle", project([], { start: "npm run a", a: "npm run start" }), {}, "node |  | npm run start"],
  ["main", project(["express"], {}, { main: "./lib/app.js" }), {}, "node |  | node lib/app.js"],
  ["server.js", { ...project(["ws"]), "server.js": "" }, {}, "node |  | node server.js"],
  [
    "a Procfile",
    { ...project(["x"], { start: "node a" }), Procfile: "# x\nweb: node b --port $PORT\nworker: node w\n" },
    {},
    "node |  | node b --port $PORT",
  ],
  [
    "a Procfile's worker",
    { ...project(["x"], { start: "node a" }), Procfile: "web: node b\nworker: node w" },
    { serviceType: "WORKER" },
    "node |  | node w",
  ],
  [
    "a worker script",
    project(["x"], { start: "node a", worker: "node w" }),
    { serviceType: "WORKER" },
    "node |  | node w",
  ],
  [
    "startCommand above all",
    { ...project(["next"], { start: "x" }), Procfile: "web: y" },
    { startCommand: " node z " },
    "Next.js | next build | node z",
  ],
  [
    "Next.js",
    project(["next", "react"], { build: "next build", start: "next start" }),
    {},
    "Next.js | npm run build | next start",
  ],
  ["Next.js, no scripts", project(["next"], { dev: "next dev" }), {}, "Next.js | next build | next start"],
  [
    "Next.js, exported",
    { ...project(["next"], { build: "next build" }), "next.config.mjs": "export default { output: 'export' }" },
    { serviceType: "STATIC" },
    "Next.js | npm run build | files out",
  ],
  ["Nuxt", project(["nuxt"], { build: "nuxt build" }), {}, "Nuxt | npm run build | node .output/server/index.mjs"],
  ["Nuxt, generated", project(["nuxt"], { build: "nuxt generate" }), {}, "Nuxt | npm run build | files .output/public"],
  [
    "SvelteKit on node",
    project(["@sveltejs/kit", "@sveltejs/adapter-node", "vite"], { build: "vite build" }),
    {},
    "SvelteKit | npm run build | node build",
  ],
  [
    "SvelteKit, static",
    project(["@sveltejs/kit", "@sveltejs/adapter-static", "vite"], { build: "vite build" }),
    { serviceType: "STATIC" },
    "SvelteKit | npm run build | files build",
  ],
  ["Astro", project(["astro"], { build: "astro build", start: "astro dev" }), {}, "Astro | npm run build | files dist"],
  [
    "Astro with a server",
    {
      ...project(["astro", "@astrojs/node"], { build: "astro build" }),
      "astro.config.mjs": 'import node from "@astrojs/node"',
    },
    {},
    "Astro | npm run build | node ./dist/server/entry.mjs",
  ],
  [
    "Vite",
    project(["vite", "react"], { build: "vite build", preview: "vite preview" }),
    {},
    "Vite | npm run build | files dist +spa",
  ],
  [
    "Vite, a preview as start",
    project(["vite"], { build: "vite build", start: "vite preview --port 1" }),
    {},
    "Vite | npm run build | files dist +spa",
  ],
  [
    "Vite, elsewhere",
    { ...project(["vite"], { build: "vite build" }), "vite.config.ts": "build: { outDir: './site/' }" },
    { serviceType: "STATIC" },
    "Vite | npm run build | files site +spa",
  ],
  [
    "Vite, not a single page",
    project(["vite"], { build: "vite build" }),
    { singlePage: false },
    "Vite | npm run build | files dist",
  ],
  [
    "Vite behind Express",
    project(["vite", "express"], { build: "vite build", start: "node server" }),
    {},
    "Vite | npm run build | node server",
  ],
  [
    "Create React App",
    project(["react-scripts"], { build: "react-scripts build", start: "react-scripts start" }),
    {},
    "Create React App | npm run build | files build +spa",
  ],
  [
    "Vue CLI",
    project(["@vue/cli-service"], { build: "vue-cli-service build" }),
    {},
    "Vue CLI | npm run build | files dist +spa",
  ],
  [
    "Angular",
    {
      ...project(["@angular/core"], { build: "ng build", start: "ng serve" }),
      "angular.json": { projects: { shop: { architect: { build: { builder: "@angular/build:application" } } } } },
    },
    {},
    "Angular | npm run build | files dist/shop/browser +spa",
  ],
  [
    "Angular, before 17",
    {
      ...project(["@angular/core"], { build: "ng build" }),
      "angular.json": {
        projects: {
          shop: {
            architect: {
              build: { builder: "@angular-devkit/build-angular:browser", options: { outputPath: "dist/x" } },
            },
          },
        },
      },
    },
    { serviceType: "STATIC" },
    "Angular | npm run build | files dist/x +spa",
  ],
  [
    "Angular, told where",
    project(["@angular/core"], { build: "ng build" }),
    { serviceType: "STATIC", outputDirectory: "./out/" },
    "Angular | npm run build | files out +spa",
  ],
  [
    "NestJS",
    project(["@nestjs/core"], { build: "nest build", start: "nest start", "start:prod": "node dist/main" }),
    {},
    "NestJS | npm run build | node dist/main",
  ],
  [
    "Gatsby",
    project(["gatsby"], { build: "gatsby build", start: "gatsby develop" }),
    {},
    "Gatsby | npm run build | files public",
  ],
  [
    "Docusaurus",
    project(["@docusaurus/core"], { build: "docusaurus build", start: "docusaurus start" }),
    {},
    "Docusaurus | npm run build | files build",
  ],
  [
    "VitePress",
    project(["vitepress"], { build: "vitepress build docs" }),
    {},
    "VitePress | npm run build | files docs/.vitepress/dist",
  ],
  ["Eleventy", project(["@11ty/eleventy"]), { serviceType: "STATIC" }, "Eleventy | eleventy | files _site"],
  [
    "React Router",
    project(["@react-router/serve", "vite"], { build: "react-router build" }),
    {},
    "React Router | npm run build | react-router-serve ./build/server/index.js",
  ],
  [
    "a static site with a package.json",
    { ...project([]), "index.html": "" },
    { serviceType: "STATIC" },
    "static |  | files ",
  ],
  [
    "a page and a package.json as WEB",
    { ...project(["prettier"], { format: "prettier ." }), "index.html": "" },
    {},
    "static |  | files ",
  ],
  [
    "an own build to a folder",
    project(["esbuild"], { build: "node build.js" }),
    { serviceType: "STATIC", outputDirectory: "out" },
    "node | npm run build | files out",
  ],
  ["plain pages", { "index.html": "", "style.css": "" }, {}, "static |  | files "],
  [
    "plain pages in public",
    { "public/index.html": "", "README.md": "" },
    { serviceType: "STATIC" },
    "static |  | files public",
  ],
  [
    "pages by a build command",
    { "config.toml": "" },
    { serviceType: "STATIC", buildCommand: "hugo", outputDirectory: "public", singlePage: true },
    "static | hugo | files public +spa",
  ],
  ["builder STATIC", { "index.html": "", Procfile: "web: x" }, { builder: "STATIC" }, "static |  | files "],
  ["any command", { "main.go": "" }, { buildCommand: "go build", startCommand: "./app" }, "command | go build | ./app"],
  [
    "a folder of a monorepo",
    { "apps/web/package.json": { scripts: { start: "node a" } }, "README.md": "" },
    { rootDirectory: "/apps/web/" },
    "node |  | node a",
  ],
];

test.each(cases)("%s", async (_, files, settings, expected) => {
  expect(summary(await detect(files, settings))).toBe(expected);
});

const refusals: readonly (readonly [name: string, files: Files, settings: Partial<BuildSettings>, message: RegExp])[] =
  [
    ["nothing", {}, {}, /The repository holds no files/],
    [
      "nothing recognisable",
      { "README.md": "" },
      {},
      /looked for package\.json, .*Procfile and index\.html.*Set startCommand/,
    ],
    ["a Dockerfile alone", { Dockerfile: "" }, {}, /needs the docker engine/],
    [
      "builder DOCKERFILE",
      { Dockerfile: "", "package.json": {} },
      { builder: "DOCKERFILE" },
      /needs the docker engine/,
    ],
    [
      "no such folder",
      { "package.json": {}, src: "" },
      { rootDirectory: "apps/web" },
      /no folder apps\/web.*package\.json, src/,
    ],
    ["a folder above", { "package.json": {} }, { rootDirectory: "a/../../x" }, /rootDirectory leads out/],
    [
      "an output above",
      { "index.html": "" },
      { serviceType: "STATIC", outputDirectory: "../x" },
      /outputDirectory leads out/,
    ],
    ["broken JSON", { "package.json": '{\n  "a": 1,\n}' }, {}, /package\.json is not valid JSON: .*(position|line)/],
    ["JSON of another kind", { "package.json": "[]" }, {}, /not a JSON object/],
    [
      "no start",
      project(["lodash"], { test: "x" }),
      {},
      /does not say how to start the application.*Procfile, or set startCommand/,
    ],
    ["a worker without start", project(["lodash"]), { serviceType: "WORKER" }, /how to start the worker/],
    ["a worker of files", { "index.html": "" }, { serviceType: "WORKER" }, /does not recognise/],
    [
      "STATIC of unknown output",
      project(["esbuild"], { build: "x" }),
      { serviceType: "STATIC" },
      /Set outputDirectory/,
    ],
    ["STATIC without pages", { "README.md": "" }, { serviceType: "STATIC" }, /no index\.html.*outputDirectory/],
    [
      "STATIC, the folder missing",
      { "README.md": "" },
      { serviceType: "STATIC", outputDirectory: "site" },
      /site is not in the repository/,
    ],
    ["STATIC Next.js with a server", project(["next"]), { serviceType: "STATIC" }, /needs a server/],
    ["SvelteKit without an adapter", project(["@sveltejs/kit"]), {}, /adapter-node/],
  ];

test.each(refusals)("refused: %s", async (_, files, settings, message) => {
  const error = await detect(files, settings).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(BuildPlanError);
  expect(String(error)).toMatch(message);
});

test("a plan is printed for people, and says where things run", async () => {
  const plan = await detect(
    {
      "apps/web/package.json": { dependencies: { hono: "4" }, scripts: { start: "node server.js", prepare: "husky" } },
      "apps/web/package-lock.json": {},
    },
    { rootDirectory: "apps/web" },
  );
  expect(renderBuildPlan(plan)).toEqual([
    "==> Build plan: Node.js",
    "    package.json found",
    "    package-lock.json → npm",
    "    package.json has a start script",
    "    folder:  apps/web",
    "    install: npm ci --include=dev --no-audit --no-fund --prefer-offline",
    "    start:   node server.js",
  ]);
  expect(workingDirectory(plan)).toBe("source/apps/web");
  expect(startCommand(plan)).toBe('export PATH="$PWD/node_modules/.bin:$PATH"; exec node server.js');
  expect(staticDirectory(plan)).toBeNull();
  expect(JSON.parse(JSON.stringify(plan))).toEqual(plan);
});

test("whatever the source holds: a plan, or a refusal with a message", async () => {
  const name = fc.constantFrom(
    "package.json",
    "Procfile",
    "yarn.lock",
    "pnpm-lock.yaml",
    "angular.json",
    "index.html",
    "pnpm-workspace.yaml",
    "vite.config.ts",
    "public/index.html",
    "Dockerfile",
    "requirements.txt",
    "pyproject.toml",
    "manage.py",
    "app.py",
    "go.mod",
    "main.go",
    "Gemfile",
    "config.ru",
    "composer.json",
    "public/index.php",
    ".nvmrc",
    "public/package.json",
  );
  const known = fc.constantFrom("next", "vite", "astro", "@angular/core", "@sveltejs/kit", "nuxt");
  const pack = fc.record(
    {
      scripts: fc.oneof(
        fc.jsonValue(),
        fc.dictionary(fc.constantFrom("start", "build", "worker", "prestart"), fc.string()),
      ),
      dependencies: fc.oneof(fc.jsonValue(), fc.dictionary(known, fc.string())),
      main: fc.jsonValue(),
      workspaces: fc.jsonValue(),
      packageManager: fc.jsonValue(),
      engines: fc.oneof(fc.jsonValue(), fc.record({ node: fc.oneof(fc.string(), fc.constantFrom("22", ">=20", "*")) })),
    },
    { requiredKeys: [] },
  );
  const content = fc.oneof(
    fc.string(),
    fc.json(),
    pack.map((value) => JSON.stringify(value)),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(name, content),
      fc.record({
        serviceType: fc.constantFrom("WEB", "WORKER", "STATIC"),
        rootDirectory: fc.option(fc.constantFrom("", "public", "..", "/")),
        builder: fc.constantFrom("AUTO", "STATIC"),
        buildCommand: fc.option(fc.string()),
        startCommand: fc.option(fc.string()),
        outputDirectory: fc.option(fc.string()),
        singlePage: fc.option(fc.boolean()),
      }),
      async (files, settings) => {
        try {
          const plan = await detect(files, settings);
          expect(plan.start === null).toBe(plan.output.kind === "static");
          expect((staticDirectory(plan) ?? "source").split("/")).not.toContain("..");
          renderBuildPlan(plan);
        } catch (error) {
          if (!(error instanceof BuildPlanError)) throw error;
        }
      },
    ),
    { numRuns: 1_000 },
  );
});
