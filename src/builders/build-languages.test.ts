import { spawnSync } from "node:child_process";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { pipVariables } from "../../tests/pip.fixture.ts";
import { BuildFixture, examples } from "./build.fixture.ts";

const slow = 180_000;
const pip = pipVariables();
const has = (program: string) => spawnSync("sh", ["-c", `command -v ${program}`]).status === 0;

let fixture: BuildFixture;
beforeEach(async () => {
  fixture = await BuildFixture.create();
});
afterEach(() => fixture.remove());

const unchanged = "==> Dependencies are unchanged: taken from the cache";

describe.skipIf(pip === null)("Python", () => {
  beforeEach(() => {
    fixture.env = pip ?? {};
  });

  test("installed once; what it brought runs under the release's name, too", { timeout: slow }, async () => {
    const first = await fixture.build(join(examples, "flask"));
    expect(first.failure, first.log).toBeNull();
    await fixture.promote();
    const version = { ...first.plan, start: "gunicorn --version && flask --version" };
    expect((await fixture.start(version)).log).toMatch(/^gunicorn \(version [\s\S]*Flask 3/);
    const served = { ...first.plan, start: "gunicorn --check-config app:app && echo well" };
    expect((await fixture.start(served)).log).toBe("well\n");

    await fixture.keepInstalled(first.plan);
    const again = await fixture.build(join(examples, "flask"));
    expect(again.log).toBe(`${unchanged}\n`);
    await fixture.promote();
    expect((await fixture.start(version)).log).toMatch(/^gunicorn \(version [\s\S]*Flask 3/);
    // A venv of a release that writes into itself is not the cache's.
    await writeFile(fixture.path(".venv/pyvenv.cfg"), "");
    const third = await fixture.build(join(examples, "flask"));
    expect(third.log).toBe(`${unchanged}\n`);
    expect(await readFile(fixture.path(".venv/pyvenv.cfg"), "utf8")).toContain("home =");
  });

  const greeting = {
    "pyproject.toml":
      '[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n\n[project]\nname = "greeting"\nversion = "1"\ndependencies = ["click"]\n\n[project.scripts]\ngreet = "greeting:main"\n\n[tool.setuptools]\npackage-dir = {"" = "src"}\n',
    "src/greeting/__init__.py": 'import click\n\ndef main():\n    click.echo("hello from src")\n',
  };

  test("a package with a program of its own, installed from pyproject.toml", { timeout: slow }, async () => {
    const built = await fixture.build(greeting, { startCommand: "greet" });
    expect(built.failure, built.log).toBeNull();
    await fixture.promote();
    expect((await fixture.start(built.plan)).log).toBe("hello from src\n");
  });

  test("a package that is installed where it lies", { timeout: slow }, async () => {
    const files = { ...greeting, "requirements.txt": "-e .\n" };
    const built = await fixture.build(files, { startCommand: "greet" });
    expect(built.failure, built.log).toBeNull();
    await fixture.promote();
    expect((await fixture.start(built.plan)).log).toBe("hello from src\n");
  });

  test("what fails says what to do", { timeout: slow }, async () => {
    fixture.env = { PIP_NO_INDEX: "1" };
    const { failure, log } = await fixture.build({ "requirements.txt": "no-such-package==1\n" }, { startCommand: "x" });
    expect(failure, log).toMatch(/^pip found no version of no-such-package==1 that fits/);
  });
});

test.skipIf(!has("go"))("Go: one program, and a broken one", { timeout: slow }, async () => {
  const files = {
    "go.mod": "module example.com/hello\n\ngo 1.18\n",
    "main.go": 'package main\n\nfunc main() { println("hello") }\n',
  };
  const built = await fixture.build(files);
  expect(built.failure, built.log).toBeNull();
  await fixture.promote();
  expect((await fixture.start(built.plan)).log).toBe("hello\n");
  expect(await readdir(join(fixture.folder, "cache"))).toContain("go-build");

  const broken = await fixture.build({ ...files, "main.go": "package main\n\nfunc main() { greet() }\n" });
  expect(broken.failure, broken.log).toBe("Go found an error in main.go, line 3: undefined: greet");
  const absent = await fixture.build({
    ...files,
    "main.go": 'package main\n\nimport _ "example.com/absent"\n\nfunc main() {}\n',
  });
  expect(absent.failure, absent.log).toMatch(/Run go mod tidy/);
});

test.skipIf(!has("bundle"))("Ruby: gems beside the application", { timeout: slow }, async () => {
  const files = {
    Gemfile: 'gem "greeting", "1.0", path: "gems/greeting"\n',
    "gems/greeting/lib/greeting.rb": 'def greeting = "hello"\n',
    "main.rb": 'require "greeting"\nputs greeting\n',
  };
  const built = await fixture.build(files, { startCommand: "bundle exec ruby main.rb" });
  expect(built.failure, built.log).toBeNull();
  await fixture.promote();
  expect((await fixture.start(built.plan)).log).toBe("hello\n");

  const other = await fixture.build({ ...files, Gemfile: 'ruby "1.8.7"\n' }, { startCommand: "x" });
  expect(other.failure, other.log).toMatch(/^This machine has Ruby .*the Gemfile asks for 1\.8\.7/);
});

test.skipIf(!has("php"))("PHP: nothing to install, and a page", { timeout: slow }, async () => {
  const { plan, log, failure } = await fixture.build({ "index.php": "<?php echo 1 + 1;" });
  expect(failure, log).toBeNull();
  expect(log).toMatch(/PHP \d/);
  expect((await fixture.start({ ...plan, start: "php index.php" })).log).toBe("2");
});

test("a machine without the program says which, and what to install", async () => {
  const bin = join(fixture.folder, "bin");
  await mkdir(bin);
  for (const program of ["sh", "tr"]) await symlink(`/bin/${program}`, join(bin, program));
  fixture.env = { PATH: bin };
  const { failure, log } = await fixture.build({ "go.mod": "module x", "main.go": "package main" });
  expect(failure, log).toBe(
    "go is not installed on this machine. Its operator can install it (on Debian: apt-get install golang-go).",
  );
});
