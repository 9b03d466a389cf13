/**
 * What each framework's build leaves, and how that is served. A framework is known by one of its packages; the first in
 * the list wins, so those that are built on another come before it.
 */
import { BuildPlanError } from "../plan.ts";
import type { Inspection } from "./detector.ts";
import { isObject, type NodePackage, scriptLine } from "./node-package.ts";

/** How a framework's build is put to use: by a process, or as files. */
export type Serving =
  | { readonly kind: "process"; readonly start: string; readonly env: Readonly<Record<string, string>> }
  | { readonly kind: "static"; readonly directory: string };

export interface Framework {
  readonly name: string;
  readonly package: string;
  /** Run where the project has no build script. */
  readonly build: string | null;
  /** The browser finds the page for a path: every path is answered by index.html. */
  readonly singlePage?: true;
  serve(project: Project): Serving | Promise<Serving>;
}

export interface Project extends Inspection {
  readonly pack: NodePackage;
}

const files = (directory: string): Serving => ({ kind: "static", directory });
const server = (start: string, env: Readonly<Record<string, string>> = {}): Serving => ({
  kind: "process",
  start,
  env,
});
const has = ({ pack }: Project, name: string) => pack.dependencies[name] !== undefined;

export const frameworks: readonly Framework[] = [
  {
    name: "Next.js",
    package: "next",
    build: "next build",
    async serve(project) {
      const exported = /\boutput\s*:\s*['"`]export['"`]/.test(await configText(project, "next.config"));
      if (exported) return files("out");
      if (project.wantsStatic) {
        throw new BuildPlanError(
          "This Next.js application needs a server. Make the service's type WEB, or set output: 'export' in next.config.",
        );
      }
      return server("next start");
    },
  },
  {
    name: "Nuxt",
    package: "nuxt",
    build: "nuxt build",
    serve: ({ pack, settings, wantsStatic }) => {
      const build = settings.buildCommand ?? scriptLine(pack.scripts, "build") ?? "";
      return wantsStatic || /\bgenerate\b/.test(build)
        ? files(".output/public")
        : server("node .output/server/index.mjs");
    },
  },
  {
    name: "SvelteKit",
    package: "@sveltejs/kit",
    build: "vite build",
    serve(project) {
      if (has(project, "@sveltejs/adapter-static")) return files("build");
      if (has(project, "@sveltejs/adapter-node")) return server("node build");
      throw new BuildPlanError(
        "SvelteKit needs an adapter here: install @sveltejs/adapter-node (for type WEB) or @sveltejs/adapter-static and name it in svelte.config.js or vite.config.",
      );
    },
  },
  {
    name: "Astro",
    package: "astro",
    build: "astro build",
    async serve(project) {
      const config = await configText(project, "astro.config");
      const directory = option(config, "outDir") ?? "dist";
      // Astro's server listens on localhost alone unless told.
      return config.includes("@astrojs/node")
        ? server(`node ./${directory}/server/entry.mjs`, { HOST: "0.0.0.0" })
        : files(directory);
    },
  },
  {
    name: "React Router",
    package: "@react-router/serve",
    build: "react-router build",
    singlePage: true,
    serve: ({ wantsStatic }) =>
      wantsStatic ? files("build/client") : server("react-router-serve ./build/server/index.js"),
  },
  {
    name: "Remix",
    package: "@remix-run/serve",
    build: "remix vite:build",
    singlePage: true,
    serve: ({ wantsStatic }) => (wantsStatic ? files("build/client") : server("remix-serve ./build/server/index.js")),
  },
  { name: "NestJS", package: "@nestjs/core", build: "nest build", serve: () => server("node dist/main") },
  { name: "Gatsby", package: "gatsby", build: "gatsby build", serve: () => files("public") },
  { name: "Docusaurus", package: "@docusaurus/core", build: "docusaurus build", serve: () => files("build") },
  {
    name: "VitePress",
    package: "vitepress",
    build: null,
    serve({ names, pack }) {
      const folder = /vitepress build (\w[\w./-]*)/.exec(scriptLine(pack.scripts, "build") ?? "")?.[1];
      return files(`${folder === undefined ? (names.has(".vitepress") ? "" : "docs/") : `${folder}/`}.vitepress/dist`);
    },
  },
  { name: "Eleventy", package: "@11ty/eleventy", build: "eleventy", serve: () => files("_site") },
  { name: "Angular", package: "@angular/core", build: "ng build", singlePage: true, serve: serveAngular },
  {
    name: "Create React App",
    package: "react-scripts",
    build: "react-scripts build",
    singlePage: true,
    serve: () => files("build"),
  },
  {
    name: "Vue CLI",
    package: "@vue/cli-service",
    build: "vue-cli-service build",
    singlePage: true,
    serve: () => files("dist"),
  },
  { name: "Parcel", package: "parcel", build: null, serve: () => files("dist") },
  {
    name: "Vite",
    package: "vite",
    build: "vite build",
    singlePage: true,
    serve: async (project) => files(option(await configText(project, "vite.config"), "outDir") ?? "dist"),
  },
];

/** Start scripts that are servers for development: slow, open, and not what the build made. */
const developmentServer = new RegExp(
  `^(?:[A-Z_]+=\\S+ )*(?:npx )?(?:${[
    "vite(?! build)\\b",
    "react-scripts start",
    "vue-cli-service serve",
    "ng serve",
    "(?:astro|next|nuxt|nuxi|vitepress|react-router) (?:dev|preview)",
    "astro$",
    "gatsby (?:develop|serve)",
    "docusaurus (?:start|serve)",
    "eleventy\\b.*--serve",
    "nest start",
    "parcel(?! build)\\b",
    "webpack(?:-dev-server| serve)",
  ].join("|")})`,
);

export function isDevelopmentServer(line: string): boolean {
  return developmentServer.test(line);
}

async function configText({ source, names }: Inspection, stem: string): Promise<string> {
  for (const extension of ["ts", "mts", "js", "mjs", "cjs"]) {
    if (names.has(`${stem}.${extension}`)) return (await source.read(`${stem}.${extension}`)) ?? "";
  }
  return "";
}

/** A folder that a configuration file names outright; programs that compute it have to set outputDirectory. */
function option(config: string, name: string): string | null {
  const value = new RegExp(`\\b${name}\\s*:\\s*['"\`](?:\\./)?([\\w][\\w./-]*?)/?['"\`]`).exec(config)?.[1];
  return value === undefined || value.split("/").includes("..") ? null : value;
}

async function serveAngular({ source }: Project): Promise<Serving> {
  const guess = new BuildPlanError(
    "angular.json does not say where the build goes. Set outputDirectory, such as dist/my-app/browser.",
  );
  let workspace: unknown;
  try {
    workspace = JSON.parse((await source.read("angular.json")) ?? "");
  } catch {
    throw guess;
  }
  const projects = isObject(workspace) && isObject(workspace.projects) ? Object.entries(workspace.projects) : [];
  for (const [name, project] of projects) {
    const architect = isObject(project) ? (project.architect ?? project.targets) : null;
    const build = isObject(architect) && isObject(architect.build) ? architect.build : null;
    if (build === null || !isObject(project) || project.projectType === "library") continue;
    const path = isObject(build.options) ? build.options.outputPath : undefined;
    const base = isObject(path) ? path.base : path;
    const directory = (typeof base === "string" ? base : `dist/${name}`).replace(/^\.\/|\/$/g, "");
    // The older builder, `…:browser`, makes no folder for the browser's part.
    const browser = isObject(path) && typeof path.browser === "string" ? path.browser : "browser";
    const whole = String(build.builder).endsWith(":browser") || browser === "";
    return files(whole ? directory : `${directory}/${browser}`);
  }
  throw guess;
}
